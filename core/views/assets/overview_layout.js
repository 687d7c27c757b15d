// Where the tiles of the picture of all heads stand, and their pixels. Many layers of few heads are folded into blocks
// side by side, as a newspaper folds its columns.
// Plain functions without import or export: Python puts this text in front of overview.js.

const MOST_BLOCKS = 4;
// How much larger tiles must become for another block.
const WORTH_FOLDING = 1.2;
// Between tiles, in pixels; up to SPARE of it is what was left when their sizes were rounded.
const [WIDEST_GAP, SPARE] = [10, 4];

// room: width and height for all of it, and the largest side of a tile, in CSS pixels. All lengths of tiles and blocks
// are whole device pixels; margins are CSS pixels.
function layoutOverview({ header, tiles }, room, ratio) {
  const { layers, heads } = header;
  const font = Math.round(0.73 * remPixels());
  const digits = Math.max(String(layers - 1).length, 2);
  const left = Math.round(font * (1.5 + 0.6 * digits));
  const top = Math.round(font * 2.7);
  const pitchOf = (blocks) => {
    // There is one gap more than there are tiles across.
    const across = ((room.width / blocks - left - WIDEST_GAP) * ratio) / heads;
    return Math.floor(Math.min(across, (room.height * ratio) / Math.ceil(layers / blocks)));
  };
  const wanted = blocksFor(layers, pitchOf, room.tile * ratio);
  const perBlock = Math.ceil(layers / wanted);
  const tile = tileSize(tiles.shape, pitchOf(wanted), room.tile, ratio);
  const blocks = Math.ceil(layers / perBlock);
  const [width, height] = [tile.pitchX * heads + tile.gap, tile.pitchY * perBlock + tile.gap];
  const blockPitch = width + Math.round(left * ratio);
  // The titles of both sides take more room than a lone narrow tile.
  const totalWidth = left + Math.max(((blocks - 1) * blockPitch + width) / ratio, font * 4);
  const totalHeight = top + Math.max(height / ratio, font * 4);
  return { ratio, font, left, top, ...tile, blocks, perBlock, blockPitch, totalWidth, totalHeight };
}

function blocksFor(layers, pitchOf, largest) {
  let best = 1;
  for (let blocks = 2; blocks <= Math.min(MOST_BLOCKS, layers); blocks += 1) {
    if (Math.min(pitchOf(blocks), largest) > WORTH_FOLDING * Math.min(pitchOf(best), largest)) best = blocks;
  }
  return best;
}

function tileSize([, , tileRows, tileCols], pitch, largestTile, ratio) {
  const gap = Math.round(clamp(pitch * 0.15, 3 * ratio, (WIDEST_GAP - SPARE) * ratio));
  const largest = Math.max(ratio, Math.min(pitch - gap, largestTile * ratio));
  const cell = snapCell(largest / Math.max(tileRows, tileCols), 0.1);
  const width = Math.max(1, Math.round(cell * tileCols));
  const height = Math.max(1, Math.round(cell * tileRows));
  const spare = Math.max(0, Math.min(pitch - width - gap, Math.round(SPARE * ratio)));
  return { width, height, gap: gap + spare, pitchX: width + gap + spare, pitchY: height + gap + spare };
}

// The block in which a layer stands, and its row there.
function rowOf({ perBlock }, layer) {
  return { block: Math.floor(layer / perBlock), row: layer % perBlock };
}

// The layers of a block: the first, and how many.
function layersOf({ perBlock }, layers, block) {
  const first = block * perBlock;
  return [first, Math.min(perBlock, layers - first)];
}

// One canvas a block, with gaps around the tiles.
function renderTiles({ header, tiles, theme }, layout) {
  const { layers, heads } = header;
  const { values, shape: [, , rows, cols] } = tiles;
  const { ratio, width, height, pitchX, pitchY, gap } = layout;
  const palette = { ...makePalette(theme, ratio), stroke: 0 };
  return Array.from({ length: layout.blocks }, (_, block) => {
    const [first, count] = layersOf(layout, layers, block);
    const picture = document.createElement("canvas");
    [picture.width, picture.height] = [pitchX * heads + gap, pitchY * count + gap];
    const context = picture.getContext("2d");
    const image = context.createImageData(picture.width, picture.height);
    const pixels = new Uint32Array(image.data.buffer);
    for (let at = 0; at < count * heads; at += 1) {
      const index = first * heads + at;
      const levels = resampleLevels(values.subarray(index * rows * cols, (index + 1) * rows * cols), rows, cols,
        height, width);
      const [x, y] = [gap + (at % heads) * pitchX, gap + Math.floor(at / heads) * pitchY];
      paintLevels(pixels, image.width, x, y, levels, height, width, palette);
    }
    context.putImageData(image, 0, 0);
    return picture;
  });
}
