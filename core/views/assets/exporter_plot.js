// A plot of Plotly as a figure that can be exported like ours: its own SVG layers, put on the same paper.
// Plain functions without import or export: Python puts this text in front of exporter.js.

async function publishPlot({ name, title, caption, stem }, root) {
  const plot = document.querySelector(`.st-key-${name}_card .js-plotly-plot`);
  const layers = [...(plot?.querySelectorAll("svg.main-svg") ?? [])];
  if (!layers.length) throw new Error("This figure is not drawn yet. Wait until it is there, then try again.");
  const { width, height } = layers[0].getBoundingClientRect();
  const markup = layers.map((layer) => new XMLSerializer().serializeToString(layer)).join("");
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${markup}</svg>`;
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await picture.decode();
  commonPlace().figures.set(name, {
    figure: { name, title, caption, stem },
    theme: readTheme(root),
    snapshot: () => ({
      width,
      height,
      legend: null,
      draw(context) {
        if (context instanceof SvgContext) context.embed(svg);
        else context.drawImage(picture, 0, 0, width, height);
      },
    }),
  });
}
