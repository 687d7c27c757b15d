// Writes SVG through the part of the canvas interface that our figures draw with: text stays text.
// Plain functions without import or export: Python puts this text in front of each component.

const SVG_STATE = {
  font: "10px sans-serif", fillStyle: "#000000", strokeStyle: "#000000", lineWidth: 1, lineCap: "butt",
  globalAlpha: 1, textAlign: "start", textBaseline: "alphabetic", direction: "ltr", imageSmoothingEnabled: true,
};

class SvgContext {
  constructor(width, height, name = "figure") {
    Object.assign(this, SVG_STATE, { width, height, prefix: name.replace(/[^a-z0-9]/gi, "") });
    this.ruler = document.createElement("canvas").getContext("2d");
    this.matrix = [1, 0, 0, 1, 0, 0];
    this.dash = [];
    this.saved = [];
    this.openGroups = 0;
    this.clips = 0;
    this.path = [];
    this.parts = [];
    this.baselines = new Map();
    this.colours = new Map();
  }

  save() {
    const kept = { matrix: this.matrix, dash: this.dash, openGroups: this.openGroups };
    for (const name of Object.keys(SVG_STATE)) kept[name] = this[name];
    this.saved.push(kept);
    this.openGroups = 0;
  }

  restore() {
    const kept = this.saved.pop();
    if (!kept) return;
    this.parts.push("</g>".repeat(this.openGroups));
    Object.assign(this, kept);
  }

  translate(x, y) {
    this.transform(1, 0, 0, 1, x, y);
  }

  scale(x, y) {
    this.transform(x, 0, 0, y, 0, 0);
  }

  rotate(angle) {
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    this.transform(cos, sin, -sin, cos, 0, 0);
  }

  transform(a, b, c, d, e, f) {
    const [A, B, C, D, E, F] = this.matrix;
    this.matrix = [A * a + C * b, B * a + D * b, A * c + C * d, B * c + D * d, A * e + C * f + E, B * e + D * f + F];
  }

  beginPath() {
    this.path = [];
  }

  closePath() {
    this.path.push("Z");
  }

  moveTo(x, y) {
    this.path.push(`M${this.point(x, y)}`);
  }

  lineTo(x, y) {
    this.path.push(`${this.path.length ? "L" : "M"}${this.point(x, y)}`);
  }

  bezierCurveTo(x1, y1, x2, y2, x, y) {
    this.path.push(`C${this.point(x1, y1)} ${this.point(x2, y2)} ${this.point(x, y)}`);
  }

  rect(x, y, width, height) {
    const [right, bottom] = [x + width, y + height];
    this.path.push(
      `M${this.point(x, y)}L${this.point(right, y)}L${this.point(right, bottom)}L${this.point(x, bottom)}Z`);
  }

  // One radius for all corners; the curves come as near to circles as four Bézier curves can.
  roundRect(x, y, width, height, radii = 0) {
    const wanted = Array.isArray(radii) ? radii[0] : radii;
    const radius = Math.max(0, Math.min(wanted, Math.abs(width) / 2, Math.abs(height) / 2));
    if (!radius) return this.rect(x, y, width, height);
    const [right, bottom, pull] = [x + width, y + height, radius * (1 - 0.5523)];
    this.moveTo(x + radius, y);
    this.lineTo(right - radius, y);
    this.bezierCurveTo(right - pull, y, right, y + pull, right, y + radius);
    this.lineTo(right, bottom - radius);
    this.bezierCurveTo(right, bottom - pull, right - pull, bottom, right - radius, bottom);
    this.lineTo(x + radius, bottom);
    this.bezierCurveTo(x + pull, bottom, x, bottom - pull, x, bottom - radius);
    this.lineTo(x, y + radius);
    this.bezierCurveTo(x, y + pull, x + pull, y, x + radius, y);
    return this.closePath();
  }

  clip() {
    this.clips += 1;
    const id = `${this.prefix}-clip-${this.clips}`;
    this.parts.push(`<clipPath id="${id}"><path d="${this.path.join("")}"/></clipPath><g clip-path="url(#${id})">`);
    this.openGroups += 1;
  }

  setLineDash(lengths) {
    this.dash = [...lengths];
  }

  fill() {
    if (this.path.length) this.parts.push(`<path d="${this.path.join("")}"${this.paint("fill", this.fillStyle)}/>`);
  }

  stroke() {
    if (this.path.length) this.parts.push(`<path d="${this.path.join("")}" fill="none"${this.strokeAttributes()}/>`);
  }

  fillRect(x, y, width, height) {
    this.apart(() => { this.rect(x, y, width, height); this.fill(); });
  }

  strokeRect(x, y, width, height) {
    this.apart(() => { this.rect(x, y, width, height); this.stroke(); });
  }

  // A whole SVG of somebody else's, at the origin of the context.
  embed(svg) {
    this.parts.push(`<g${this.matrixAttribute()}>${svg}</g>`);
  }

  measureText(text) {
    this.ruler.font = this.font;
    return this.ruler.measureText(text);
  }

  fillText(text, x, y) {
    const shown = String(text).replace(/[\t\n\f\r]/g, " ");
    if (!shown) return;
    const [, prefix, size, family] = this.font.match(/^(.*?)([\d.]+)px\s+(.*)$/);
    const weight = prefix.match(/bold|[1-9]00/)?.[0];
    const attributes = [
      this.matrixAttribute(), ` x="${svgNumber(x)}" y="${svgNumber(y + this.baselineShift())}"`,
      ` font-family="${escapeXml(family)}" font-size="${size}"`,
      weight ? ` font-weight="${weight}"` : "", prefix.includes("italic") ? ' font-style="italic"' : "",
      ` text-anchor="${this.anchor()}"`, this.direction === "rtl" ? ' direction="rtl"' : "",
      this.paint("fill", this.fillStyle),
    ];
    this.parts.push(`<text xml:space="preserve"${attributes.join("")}>${escapeXml(shown)}</text>`);
  }

  drawImage(canvas, x, y, width = canvas.width, height = canvas.height) {
    const crisp = this.imageSmoothingEnabled
      ? "" : ' image-rendering="optimizeSpeed" style="image-rendering:pixelated"';
    const opacity = this.globalAlpha < 1 ? ` opacity="${svgNumber(this.globalAlpha)}"` : "";
    const [left, top, across, down] = [x, y, width, height].map(svgNumber);
    this.parts.push(`<image${this.matrixAttribute()} x="${left}" y="${top}" width="${across}" height="${down}"`
      + ` preserveAspectRatio="none"${crisp}${opacity}`
      + ` xlink:href="${canvas.toDataURL("image/png")}"/>`);
  }

  document(title) {
    const [width, height] = [Math.ceil(this.width), Math.ceil(this.height)];
    const closing = "</g>".repeat(this.openGroups + this.saved.reduce((sum, { openGroups }) => sum + openGroups, 0));
    return '<?xml version="1.0" encoding="UTF-8"?>\n'
      + '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" role="img"'
      + ` width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">\n`
      + `<title>${escapeXml(title)}</title>\n${this.parts.join("\n")}${closing}\n</svg>\n`;
  }

  apart(draw) {
    const path = this.path;
    this.path = [];
    draw();
    this.path = path;
  }

  point(x, y) {
    const [a, b, c, d, e, f] = this.matrix;
    return `${svgNumber(a * x + c * y + e)} ${svgNumber(b * x + d * y + f)}`;
  }

  matrixAttribute() {
    const [a, b, c, d, e, f] = this.matrix;
    if (a === 1 && b === 0 && c === 0 && d === 1) {
      return e || f ? ` transform="translate(${svgNumber(e)} ${svgNumber(f)})"` : "";
    }
    return ` transform="matrix(${this.matrix.map((value) => Number(value.toFixed(5))).join(" ")})"`;
  }

  strokeAttributes() {
    const [a, b, c, d] = this.matrix;
    const scale = Math.sqrt(Math.abs(a * d - b * c));
    const cap = this.lineCap === "butt" ? "" : ` stroke-linecap="${this.lineCap}"`;
    const lengths = this.dash.map((length) => svgNumber(length * scale)).join(" ");
    const dash = lengths ? ` stroke-dasharray="${lengths}"` : "";
    return `${this.paint("stroke", this.strokeStyle)} stroke-width="${svgNumber(this.lineWidth * scale)}"${cap}${dash}`;
  }

  // Viewers outside browsers read #rrggbb and an opacity, but not every CSS colour.
  paint(kind, colour) {
    if (!this.colours.has(colour)) {
      this.ruler.fillStyle = "#000000";
      this.ruler.fillStyle = colour;
      const [red, green, blue, alpha] = this.ruler.fillStyle.match(/^rgba/)
        ? this.ruler.fillStyle.match(/[\d.]+/g).map(Number) : [];
      const hex = (value) => value.toString(16).padStart(2, "0");
      this.colours.set(colour, alpha === undefined
        ? [this.ruler.fillStyle, 1] : [`#${hex(red)}${hex(green)}${hex(blue)}`, alpha]);
    }
    const [plain, alpha] = this.colours.get(colour);
    const opacity = alpha * this.globalAlpha;
    return ` ${kind}="${plain}"${opacity < 1 ? ` ${kind}-opacity="${Number(opacity.toFixed(3))}"` : ""}`;
  }

  anchor() {
    if (this.textAlign === "center") return "middle";
    const starts = { start: true, end: false, left: this.direction !== "rtl", right: this.direction === "rtl" };
    return starts[this.textAlign] ? "start" : "end";
  }

  // Viewers differ in what they make of dominant-baseline: text is put on its alphabetic baseline instead.
  baselineShift() {
    if (this.textBaseline === "alphabetic") return 0;
    const key = `${this.font}|${this.textBaseline}`;
    if (!this.baselines.has(key)) {
      this.ruler.font = this.font;
      const ascent = (baseline) => {
        this.ruler.textBaseline = baseline;
        return this.ruler.measureText("x").actualBoundingBoxAscent;
      };
      this.baselines.set(key, ascent("alphabetic") - ascent(this.textBaseline));
      this.ruler.textBaseline = "alphabetic";
    }
    return this.baselines.get(key);
  }
}

function svgNumber(value) {
  return Number(value.toFixed(2));
}

const NOT_IN_XML = new RegExp(
  "[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\ufffe\\uffff]"
  + "|[\\ud800-\\udbff](?![\\udc00-\\udfff])|(?<![\\ud800-\\udbff])[\\udc00-\\udfff]", "g");
const XML_NAMES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

// Letter for letter; only what XML cannot hold becomes the replacement character.
function escapeXml(text) {
  return text.replace(NOT_IN_XML, "\ufffd").replace(/[&<>"]/g, (letter) => XML_NAMES[letter]);
}
