// From numbers to colours: theme reading, sequential ramps, head colours, and the pixels of a matrix.
// Plain functions without import or export: Python puts this text in front of each component.

// A level is one byte: 0..254 is a position on the ramp, 255 a cell the model could not attend to.
const MASKED = 255;
const TOP_LEVEL = 254;

// Chroma and hue at equal steps of the ramp. Lightness runs straight from one end to the other, which is
// what keeps the order of the colours readable without colour vision and on a poor projector.
const LIGHT_RAMP = {
  from: 0.985, to: 0.2,
  chroma: [0.006, 0.055, 0.11, 0.17, 0.205, 0.16, 0.08],
  hue: [286, 286, 284, 281, 278, 276, 274],
};
const DARK_RAMP = {
  to: 0.965,
  chroma: [0.02, 0.09, 0.15, 0.185, 0.165, 0.12, 0.085, 0.045],
  hue: [268, 272, 277, 286, 303, 338, 398, 448],
};

function clamp(value, low, high) {
  return Math.min(high, Math.max(low, value));
}

const colourProbe = document.createElement("canvas").getContext("2d", { willReadFrequently: true });

// Lets the browser read any CSS colour; translucent ones are laid over the given background.
function parseColour(text, over = [255, 255, 255]) {
  colourProbe.fillStyle = cssColour(over);
  colourProbe.fillRect(0, 0, 1, 1);
  colourProbe.fillStyle = text;
  colourProbe.fillRect(0, 0, 1, 1);
  return [...colourProbe.getImageData(0, 0, 1, 1).data.slice(0, 3)];
}

function cssColour(rgb) {
  return `rgb(${rgb.map(Math.round).join(", ")})`;
}

function mixColours(from, to, share) {
  return from.map((channel, index) => channel + (to[index] - channel) * share);
}

function linearChannel(channel) {
  const value = channel / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

function luminance(rgb) {
  const [red, green, blue] = rgb.map(linearChannel);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one, other) {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

// Moves a colour towards the text colour, no further than it must, until it can be read on the background.
function readableColour(colour, text, background, target = 4.8) {
  for (let share = 0; share < 1; share += 0.05) {
    const candidate = mixColours(colour, text, share);
    if (contrast(candidate, background) >= target) return candidate;
  }
  return text;
}

function inkOn(fill) {
  const [dark, light] = [[0, 0, 0], [255, 255, 255]];
  return contrast(fill, dark) > contrast(fill, light) ? dark : light;
}

function rgbToOklch(rgb) {
  const [red, green, blue] = rgb.map(linearChannel);
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s;
  const b = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
  const lightness = 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s;
  return [lightness, Math.hypot(a, b), (Math.atan2(b, a) * 180) / Math.PI];
}

function oklchToLinear(lightness, chroma, hue) {
  const angle = (hue * Math.PI) / 180;
  const [a, b] = [chroma * Math.cos(angle), chroma * Math.sin(angle)];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

// Gives up chroma, never lightness or hue, for colours that a screen cannot show.
function oklchToRgb(lightness, chroma, hue) {
  let linear = oklchToLinear(lightness, chroma, hue);
  for (let left = chroma; linear.some((channel) => channel < -0.0005 || channel > 1.0005) && left > 0;) {
    left -= 0.004;
    linear = oklchToLinear(lightness, Math.max(0, left), hue);
  }
  return linear.map((channel) => {
    const value = clamp(channel, 0, 1);
    return 255 * (value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055);
  });
}

function interpolate(stops, position) {
  const scaled = position * (stops.length - 1);
  const index = Math.min(stops.length - 2, Math.floor(scaled));
  return stops[index] + (stops[index + 1] - stops[index]) * (scaled - index);
}

// The ramp as [red, green, blue] per level; the dark one starts at the background, so dark means zero.
function rampColours(dark, background) {
  const ramp = dark ? DARK_RAMP : LIGHT_RAMP;
  const from = dark ? rgbToOklch(background)[0] : ramp.from;
  return Array.from({ length: TOP_LEVEL + 1 }, (_, level) => {
    const position = level / TOP_LEVEL;
    const lightness = from + (ramp.to - from) * position;
    return oklchToRgb(lightness, interpolate(ramp.chroma, position), interpolate(ramp.hue, position));
  });
}

// Everything a component needs to know about the page's colours and fonts, read from the --st- variables.
function readTheme(root) {
  const style = getComputedStyle(root);
  const variable = (name, fallback) => style.getPropertyValue(`--st-${name}`).trim() || fallback;
  const background = parseColour(variable("background-color", "#ffffff"));
  const dark = luminance(background) < 0.18;
  const text = parseColour(variable("text-color", dark ? "#fafafa" : "#1a1c24"), background);
  const panel = parseColour(variable("secondary-background-color", dark ? "#1e222c" : "#f2f3f8"), background);
  const ramp = rampColours(dark, background);
  // Talk mode is read from the back row: muted text and borders come nearer to the text colour, outlines are thicker.
  const talk = style.getPropertyValue("--headlight-talk").trim() === "1";
  const border = parseColour(variable("border-color", dark ? "#343946" : "#d9dbe3"), background);
  const theme = {
    dark, background, text, panel, ramp, talk,
    border: talk ? mixColours(border, text, 0.45) : border,
    outline: talk ? 1.5 : 1,
    primary: parseColour(variable("primary-color", dark ? "#a5b4fc" : "#3b2db0"), background),
    muted: readableColour(mixColours(background, text, talk ? 0.85 : 0.55), text, background),
    // Stronger than AA asks for, as it must stay readable on the tint under an emphasised label.
    amber: readableColour(dark ? [245, 184, 80] : [158, 92, 0], text, background, 5.8),
    accent: dark ? [255, 150, 66] : [230, 92, 16],
    hatch: (dark ? [0.13, 0.22] : [0.085, 0.19]).map((share) => mixColours(background, text, share)),
    font: variable("font", "system-ui, sans-serif"),
    codeFont: variable("code-font", "ui-monospace, monospace"),
  };
  theme.key = JSON.stringify([background, text, panel, theme.border, theme.font, theme.codeFont]);
  commonPlace().theme = theme;
  shareWithCss(root, theme);
  return theme;
}

function shareWithCss(root, theme) {
  const { hatch, ...rest } = theme;
  for (const name of ["background", "text", "panel", "border", "primary", "muted", "amber", "accent"]) {
    root.style.setProperty(`--${name}`, cssColour(rest[name]));
  }
  root.style.setProperty("--hatch-base", cssColour(hatch[0]));
  root.style.setProperty("--hatch-line", cssColour(hatch[1]));
  const stops = Array.from({ length: 17 }, (_, step) => theme.ramp[Math.round((step / 16) * TOP_LEVEL)]);
  root.style.setProperty("--ramp", `linear-gradient(to right, ${stops.map(cssColour).join(", ")})`);
}

// One colour per head. Hues are spread evenly and dealt out in large steps, so neighbouring numbers differ
// most, and they differ in lightness too, for eyes that do not see all hues. Levels and first hue were searched
// for the largest difference of neighbours in four kinds of colour vision.
function headColours(count, dark) {
  const levels = dark ? [0.7, 0.9, 0.6, 0.8] : [0.45, 0.66, 0.34, 0.55];
  const first = dark ? 175 : 180;
  const stride = coprimeStride(count);
  return Array.from({ length: count }, (_, head) => {
    const slot = (head * stride) % count;
    return oklchToRgb(levels[head % levels.length], dark ? 0.14 : 0.19, first + (slot * 360) / count);
  });
}

function coprimeStride(count) {
  const divisor = (a, b) => (b ? divisor(b, a % b) : a);
  let stride = Math.max(1, Math.round(count * 0.382));
  while (divisor(count, stride) !== 1) stride += 1;
  return stride;
}

// A whole number of device pixels per cell keeps all columns equally wide. Where that would waste more than
// the given share of the room, cells keep their size and their edges are blended instead.
function snapCell(size, largestWaste) {
  const whole = Math.floor(size);
  return whole >= 1 && size - whole <= largestWaste * size ? whole : size;
}

// Fits levels to a number of pixels: the maximum where cells are smaller than pixels, so that a thin line
// never disappears, and blended edges where they are larger.
function resampleLevels(levels, rows, cols, outRows, outCols) {
  const [pooledRows, pooledCols] = [Math.min(rows, outRows), Math.min(cols, outCols)];
  const pooled = poolLevels(levels, rows, cols, pooledRows, pooledCols);
  return spreadLevels(pooled, pooledRows, pooledCols, outRows, outCols);
}

function poolLevels(levels, rows, cols, outRows, outCols) {
  if (rows === outRows && cols === outCols) return levels;
  const pooled = new Uint8Array(outRows * outCols).fill(MASKED);
  const binOf = Uint32Array.from({ length: cols }, (_, col) => Math.floor(((col + 0.5) * outCols) / cols));
  for (let row = 0; row < rows; row += 1) {
    const start = Math.floor(((row + 0.5) * outRows) / rows) * outCols;
    for (let col = 0; col < cols; col += 1) {
      const level = levels[row * cols + col];
      const at = start + binOf[col];
      if (level !== MASKED && (pooled[at] === MASKED || level > pooled[at])) pooled[at] = level;
    }
  }
  return pooled;
}

// For each output pixel along one axis: the cell it starts in, and the share it takes from the next cell.
function spreadAxis(cells, pixels) {
  const cellsPerPixel = cells / pixels;
  return Array.from({ length: pixels }, (_, pixel) => {
    const first = Math.min(cells - 1, Math.floor(pixel * cellsPerPixel + 1e-6));
    const share = ((pixel + 1) * cellsPerPixel - first - 1) / cellsPerPixel;
    return first < cells - 1 && share > 0.02 ? [first, share] : [first, 0];
  });
}

function spreadLevels(levels, rows, cols, outRows, outCols) {
  if (rows === outRows && cols === outCols) return levels;
  const spread = new Uint8Array(outRows * outCols);
  const across = spreadAxis(cols, outCols);
  spreadAxis(rows, outRows).forEach(([row, below], y) => {
    across.forEach(([col, right], x) => {
      const at = row * cols + col;
      spread[y * outCols + x] = below || right ? blendLevels(levels, at, cols, below, right) : levels[at];
    });
  });
  return spread;
}

function blendLevels(levels, at, cols, below, right) {
  let [sum, seen] = [0, 0];
  const add = (index, share) => {
    if (share === 0 || levels[index] === MASKED) return;
    sum += levels[index] * share;
    seen += share;
  };
  add(at, (1 - below) * (1 - right));
  add(at + 1, (1 - below) * right);
  add(at + cols, below * (1 - right));
  add(at + cols + 1, below * right);
  return seen < 0.5 ? MASKED : Math.round(sum / seen);
}

// Packed pixel values for ImageData, which is little-endian on every machine browsers run on.
function makePalette(theme, pixelRatio) {
  const pack = (rgb) => {
    const [red, green, blue] = rgb.map(Math.round);
    return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
  };
  return {
    ramp: Uint32Array.from(theme.ramp, pack),
    hatch: theme.hatch.map(pack),
    period: Math.round(5 * pixelRatio),
    stroke: Math.max(1, Math.round(1.4 * pixelRatio)),
  };
}

// Writes levels into a Uint32 picture of the given width. Masked cells show a hatch that runs on across
// cells, as it depends on the place in the picture only.
function paintLevels(pixels, pictureWidth, left, top, levels, rows, cols, palette) {
  for (let row = 0; row < rows; row += 1) {
    const y = top + row;
    for (let col = 0; col < cols; col += 1) {
      const level = levels[row * cols + col];
      const x = left + col;
      pixels[y * pictureWidth + x] = level === MASKED
        ? palette.hatch[(x + y) % palette.period < palette.stroke ? 1 : 0]
        : palette.ramp[level];
    }
  }
}
