/**
 * The encoder of multilingual-e5-small in WebAssembly, written in AssemblyScript: 4-bit weights, 8-bit activations.
 *
 * The caller places everything in memory: the encoder (in the layout of ../README.md), the tokens of a text as rows of `HIDDEN`
 * floats, and a scratch area. All functions work on 4 tokens at a time: the rows of a text are padded to a multiple of 4, and
 * padding never reaches the other rows.
 */

const HIDDEN: i32 = 384;
const HEADS: i32 = 12;
const HEAD: i32 = HIDDEN / HEADS;
const FEED_FORWARD: i32 = 1536;
const EPSILON: f32 = 1e-12;

const ROW: i32 = HIDDEN * 4;
const QKV_ROW: i32 = 3 * ROW;
const FEED_FORWARD_ROW: i32 = FEED_FORWARD * 4;

/** Weights and activations share a scale in blocks of 32 inputs. */
const BLOCK: i32 = 32;
/** A record has the weights of 8 outputs and 32 inputs: nibbles, then 8 scales. */
const NIBBLES: i32 = 128;
const RECORD: i32 = NIBBLES + 8 * 4;
/** A block of the table: a 16-bit scale, then nibbles. */
const TABLE_BLOCK: i32 = 2 + BLOCK / 2;
/** Of 4 tokens: 32 activations each, then for each token the scale and the sum of the activations times -8. */
const ACTIVATIONS: i32 = 4 * BLOCK;
const ACTIVATION_RECORD: i32 = ACTIVATIONS + 4 * 8;

function roundUp(count: i32, multiple: i32): i32 {
  return ((count + multiple - 1) / multiple) * multiple;
}

function getMatrixBytes(inputs: i32, outputs: i32): i32 {
  return (outputs / 8) * (inputs / BLOCK) * RECORD + outputs * 4;
}

/** The scratch area that `runLayer` needs for this many tokens. */
export function getScratchBytes(tokens: i32): i32 {
  const rows = roundUp(tokens, 4);
  return (
    rows * (QKV_ROW + 2 * ROW + FEED_FORWARD_ROW) +
    (rows / 4) * (FEED_FORWARD / BLOCK) * ACTIVATION_RECORD +
    getHeadBytes(tokens)
  );
}

/** Keys and values of one head, and the probabilities of 4 tokens. */
function getHeadBytes(tokens: i32): i32 {
  return roundUp(tokens, 8) * (HEAD + 4) * 4;
}

export function getLayerBytes(): i32 {
  return (
    getMatrixBytes(HIDDEN, 3 * HIDDEN) +
    getMatrixBytes(HIDDEN, HIDDEN) +
    getMatrixBytes(HIDDEN, FEED_FORWARD) +
    getMatrixBytes(FEED_FORWARD, HIDDEN) +
    4 * ROW
  );
}

/** Where the caller may place data. */
export function getFreeMemory(): usize {
  return roundUp(<i32>__heap_base, 64);
}

/** Writes a row of the table plus the vector of its position to `x`. */
export function embedToken(row: usize, position: usize, x: usize): void {
  for (let block = 0; block < HIDDEN / BLOCK; block++) {
    const scale = toFloat(load<u16>(row));
    for (let at = 0; at < BLOCK / 2; at++) {
      const pair = <i32>load<u8>(row + at, 2);
      store<f32>(x + at * 4, load<f32>(position + at * 4) + <f32>((pair & 15) - 8) * scale);
      store<f32>(x + at * 4, load<f32>(position + at * 4, 64) + <f32>((pair >> 4) - 8) * scale, 64);
    }
    row += TABLE_BLOCK;
    position += BLOCK * 4;
    x += BLOCK * 4;
  }
}

/** A 16-bit float. The scales are never infinite. */
function toFloat(half: u32): f32 {
  const sign = (half & 0x8000) << 16;
  const exponent = (half >> 10) & 31;
  const fraction = half & 1023;
  if (exponent === 0) return (sign ? <f32>-1 : <f32>1) * <f32>fraction * <f32>5.9604644775390625e-8;
  return reinterpret<f32>(sign | ((exponent + 112) << 23) | (fraction << 13));
}

/** The normalization before the first layer; `weights`: its factors, then its summands. */
export function normalizeInput(x: usize, tokens: i32, weights: usize): void {
  normalize(x, 0, tokens, weights);
}

/** Runs one layer: `x` is replaced by its output. */
export function runLayer(layer: usize, x: usize, tokens: i32, scratch: usize): void {
  const rows = roundUp(tokens, 4);
  const qkv = scratch;
  const context = qkv + rows * QKV_ROW;
  const sum = context + rows * ROW;
  const inner = sum + rows * ROW;
  const head = inner + rows * FEED_FORWARD_ROW;
  const quantized = head + getHeadBytes(tokens);

  quantize(x, rows, HIDDEN, quantized);
  multiply(layer, quantized, qkv, rows, HIDDEN, 3 * HIDDEN);
  layer += getMatrixBytes(HIDDEN, 3 * HIDDEN);
  attend(qkv, context, tokens, head);
  quantize(context, rows, HIDDEN, quantized);
  multiply(layer, quantized, sum, rows, HIDDEN, HIDDEN);
  layer += getMatrixBytes(HIDDEN, HIDDEN);
  normalize(x, sum, rows, layer);
  layer += 2 * ROW;

  quantize(x, rows, HIDDEN, quantized);
  multiply(layer, quantized, inner, rows, HIDDEN, FEED_FORWARD);
  layer += getMatrixBytes(HIDDEN, FEED_FORWARD);
  activate(inner, rows * FEED_FORWARD);
  quantize(inner, rows, FEED_FORWARD, quantized);
  multiply(layer, quantized, sum, rows, FEED_FORWARD, HIDDEN);
  layer += getMatrixBytes(FEED_FORWARD, HIDDEN);
  normalize(x, sum, rows, layer);
}

/** Writes the mean of all tokens, scaled to length 1. */
export function pool(x: usize, tokens: i32, out: usize): void {
  let squares = f32x4.splat(0);
  for (let at = 0; at < ROW; at += 16) {
    let sum = f32x4.splat(0);
    for (let token = 0; token < tokens; token++) sum = f32x4.add(sum, v128.load(x + token * ROW + at));
    squares = f32x4.relaxed_madd(sum, sum, squares);
    v128.store(out + at, sum);
  }
  const factor = f32x4.splat(<f32>1 / sqrt<f32>(addLanes(squares)));
  for (let at = 0; at < ROW; at += 16) v128.store(out + at, f32x4.mul(v128.load(out + at), factor));
}

/** Quantizes rows to 8 bits, and reorders them: 4 tokens side by side, as `multiply` reads them. */
function quantize(x: usize, rows: i32, inputs: i32, out: usize): void {
  const blocks = inputs / BLOCK;
  for (let row = 0; row < rows; row++) {
    const lane = row & 3;
    let record = out + (row >> 2) * blocks * ACTIVATION_RECORD;
    for (let block = 0; block < blocks; block++) {
      quantizeBlock(x, record + lane * 4, record + ACTIVATIONS + lane * 4);
      x += BLOCK * 4;
      record += ACTIVATION_RECORD;
    }
  }
}

function quantizeBlock(x: usize, out: usize, scales: usize): void {
  let largest = f32x4.splat(0);
  for (let at = 0; at < BLOCK * 4; at += 16) largest = f32x4.max(largest, f32x4.abs(v128.load(x + at)));
  largest = f32x4.max(largest, i32x4.shuffle(largest, largest, 2, 3, 0, 1));
  largest = f32x4.max(largest, i32x4.shuffle(largest, largest, 1, 0, 3, 2));
  const maximum = f32x4.extract_lane(largest, 0);
  const factor = f32x4.splat(maximum > 0 ? <f32>127 / maximum : 0);
  let sum = i32x4.splat(0);
  for (let at = 0; at < BLOCK; at += 8) {
    const first = i32x4.relaxed_trunc_f32x4_s(f32x4.nearest(f32x4.mul(v128.load(x + at * 4), factor)));
    const second = i32x4.relaxed_trunc_f32x4_s(f32x4.nearest(f32x4.mul(v128.load(x + at * 4, 16), factor)));
    sum = i32x4.add(sum, i32x4.add(first, second));
    const words = i16x8.narrow_i32x4_s(first, second);
    const bytes = i8x16.narrow_i16x8_s(words, words);
    store<u32>(out + at * 4, i32x4.extract_lane(bytes, 0));
    store<u32>(out + at * 4, i32x4.extract_lane(bytes, 1), 16);
  }
  store<f32>(scales, maximum / 127);
  sum = i32x4.add(sum, i32x4.shuffle(sum, sum, 2, 3, 0, 1));
  sum = i32x4.add(sum, i32x4.shuffle(sum, sum, 1, 0, 3, 2));
  store<i32>(scales, -8 * i32x4.extract_lane(sum, 0), 16);
}

/** `out` = activations x weights + bias, for 4 rows and 8 outputs at a time; the bias follows the weights. */
function multiply(
  weights: usize,
  activations: usize,
  out: usize,
  rows: i32,
  inputs: i32,
  outputs: i32,
): void {
  const blocks = inputs / BLOCK;
  const outRow = outputs * 4;
  let bias = weights + (outputs / 8) * blocks * RECORD;
  for (let output = 0; output < outputs; output += 8) {
    let tile = out + output * 4;
    let group = activations;
    for (let row = 0; row < rows; row += 4) {
      multiplyTile(weights, group, bias, tile, blocks, outRow);
      group += blocks * ACTIVATION_RECORD;
      tile += 4 * outRow;
    }
    weights += blocks * RECORD;
    bias += 8 * 4;
  }
}

/**
 * The relaxed dot product is the same on every processor because weights without sign (0 to 15) fit its 7 bits. Within a block
 * sums fit 16 bits: 16 products of at most 15 x 127.
 */
function multiplyTile(
  weights: usize,
  activations: usize,
  bias: usize,
  out: usize,
  blocks: i32,
  outRow: i32,
): void {
  const mask = i8x16.splat(15);
  let low0 = v128.load(bias),
    high0 = v128.load(bias, 16);
  let low1 = low0,
    low2 = low0,
    low3 = low0;
  let high1 = high0,
    high2 = high0,
    high3 = high0;
  for (let block = 0; block < blocks; block++) {
    let l0 = i16x8.splat(0),
      l1 = i16x8.splat(0),
      l2 = i16x8.splat(0),
      l3 = i16x8.splat(0);
    let h0 = i16x8.splat(0),
      h1 = i16x8.splat(0),
      h2 = i16x8.splat(0),
      h3 = i16x8.splat(0);
    for (let at = 0; at < NIBBLES; at += 16) {
      const packed = v128.load(weights + at);
      const low = v128.and(packed, mask);
      const high = v128.and(i16x8.shr_u(packed, 4), mask);
      const a0 = v128.load_splat<u32>(activations + at);
      l0 = i16x8.add(l0, i16x8.relaxed_dot_i8x16_i7x16_s(a0, low));
      h0 = i16x8.add(h0, i16x8.relaxed_dot_i8x16_i7x16_s(a0, high));
      const a1 = v128.load_splat<u32>(activations + at, 4);
      l1 = i16x8.add(l1, i16x8.relaxed_dot_i8x16_i7x16_s(a1, low));
      h1 = i16x8.add(h1, i16x8.relaxed_dot_i8x16_i7x16_s(a1, high));
      const a2 = v128.load_splat<u32>(activations + at, 8);
      l2 = i16x8.add(l2, i16x8.relaxed_dot_i8x16_i7x16_s(a2, low));
      h2 = i16x8.add(h2, i16x8.relaxed_dot_i8x16_i7x16_s(a2, high));
      const a3 = v128.load_splat<u32>(activations + at, 12);
      l3 = i16x8.add(l3, i16x8.relaxed_dot_i8x16_i7x16_s(a3, low));
      h3 = i16x8.add(h3, i16x8.relaxed_dot_i8x16_i7x16_s(a3, high));
    }
    const lowScales = v128.load(weights, NIBBLES);
    const highScales = v128.load(weights, NIBBLES + 16);
    let scale = v128.load_splat<u32>(activations, ACTIVATIONS);
    let offset = v128.load_splat<u32>(activations, ACTIVATIONS + 16);
    low0 = addBlock(low0, l0, lowScales, scale, offset);
    high0 = addBlock(high0, h0, highScales, scale, offset);
    scale = v128.load_splat<u32>(activations, ACTIVATIONS + 4);
    offset = v128.load_splat<u32>(activations, ACTIVATIONS + 20);
    low1 = addBlock(low1, l1, lowScales, scale, offset);
    high1 = addBlock(high1, h1, highScales, scale, offset);
    scale = v128.load_splat<u32>(activations, ACTIVATIONS + 8);
    offset = v128.load_splat<u32>(activations, ACTIVATIONS + 24);
    low2 = addBlock(low2, l2, lowScales, scale, offset);
    high2 = addBlock(high2, h2, highScales, scale, offset);
    scale = v128.load_splat<u32>(activations, ACTIVATIONS + 12);
    offset = v128.load_splat<u32>(activations, ACTIVATIONS + 28);
    low3 = addBlock(low3, l3, lowScales, scale, offset);
    high3 = addBlock(high3, h3, highScales, scale, offset);
    weights += RECORD;
    activations += ACTIVATION_RECORD;
  }
  v128.store(out, low0);
  v128.store(out, high0, 16);
  out += outRow;
  v128.store(out, low1);
  v128.store(out, high1, 16);
  out += outRow;
  v128.store(out, low2);
  v128.store(out, high2, 16);
  out += outRow;
  v128.store(out, low3);
  v128.store(out, high3, 16);
}

/** Adds the products of a block. The weights without sign are 8 too large, which `offset` corrects. */
function addBlock(total: v128, products: v128, weightScales: v128, scale: v128, offset: v128): v128 {
  const sum = i32x4.add(i32x4.extadd_pairwise_i16x8_s(products), offset);
  return f32x4.relaxed_madd(f32x4.convert_i32x4_s(sum), f32x4.mul(weightScales, scale), total);
}

/** `x` = normalized (`x` + `y`), or normalized `x` where `y` is 0; `weights`: factors, then summands. */
function normalize(x: usize, y: usize, rows: i32, weights: usize): void {
  for (let row = 0; row < rows; row++) {
    let sum = f32x4.splat(0);
    for (let at = 0; at < ROW; at += 16) {
      let value = v128.load(x + at);
      if (y !== 0) value = f32x4.add(value, v128.load(y + at));
      v128.store(x + at, value);
      sum = f32x4.add(sum, value);
    }
    const mean = f32x4.splat(addLanes(sum) / <f32>HIDDEN);
    let squares = f32x4.splat(0);
    for (let at = 0; at < ROW; at += 16) {
      const difference = f32x4.sub(v128.load(x + at), mean);
      squares = f32x4.relaxed_madd(difference, difference, squares);
    }
    const factor = f32x4.splat(<f32>1 / sqrt<f32>(addLanes(squares) / <f32>HIDDEN + EPSILON));
    for (let at = 0; at < ROW; at += 16) {
      const normalized = f32x4.mul(f32x4.sub(v128.load(x + at), mean), factor);
      v128.store(
        x + at,
        f32x4.relaxed_madd(normalized, v128.load(weights + at), v128.load(weights + at, ROW)),
      );
    }
    x += ROW;
    if (y !== 0) y += ROW;
  }
}

/** Attention of all heads; `qkv`: query, key and value of each token side by side. */
function attend(qkv: usize, context: usize, tokens: i32, scratch: usize): void {
  const columns = roundUp(tokens, 8) * 4;
  const keys = scratch;
  const scores = keys + columns * HEAD;
  for (let head = 0; head < HEADS; head++) {
    const at = head * HEAD * 4;
    transposeKeys(qkv + ROW + at, keys, tokens, columns);
    for (let token = 0; token < tokens; token += 4) {
      score4(qkv + token * QKV_ROW + at, keys, scores, columns);
      for (let lane = 0; lane < 4; lane++) toProbabilities(scores + lane * columns, tokens, columns);
      mix4(scores, qkv + 2 * ROW + at, context + token * ROW + at, tokens, columns);
    }
  }
}

/** One row for each number of the keys, scaled; columns of padding are 0. */
function transposeKeys(key: usize, keys: usize, tokens: i32, columns: i32): void {
  const scale = <f32>1 / sqrt<f32>(<f32>HEAD);
  for (let number = 0; number < HEAD; number++) {
    let from = key + number * 4;
    for (let token = 0; token < tokens; token++) {
      store<f32>(keys + token * 4, load<f32>(from) * scale);
      from += QKV_ROW;
    }
    for (let token = tokens; token * 4 < columns; token++) store<f32>(keys + token * 4, 0);
    keys += columns;
  }
}

/** The products of the queries of 4 tokens with all keys, 8 keys at a time. */
function score4(query: usize, keys: usize, scores: usize, columns: i32): void {
  for (let column = 0; column < columns; column += 32) {
    let a0 = f32x4.splat(0),
      a1 = f32x4.splat(0),
      a2 = f32x4.splat(0),
      a3 = f32x4.splat(0);
    let b0 = f32x4.splat(0),
      b1 = f32x4.splat(0),
      b2 = f32x4.splat(0),
      b3 = f32x4.splat(0);
    let key = keys + column;
    for (let at: usize = query; at < query + HEAD * 4; at += 4) {
      const a = v128.load(key);
      const b = v128.load(key, 16);
      const q0 = v128.load_splat<u32>(at);
      a0 = f32x4.relaxed_madd(q0, a, a0);
      b0 = f32x4.relaxed_madd(q0, b, b0);
      const q1 = v128.load_splat<u32>(at, QKV_ROW);
      a1 = f32x4.relaxed_madd(q1, a, a1);
      b1 = f32x4.relaxed_madd(q1, b, b1);
      const q2 = v128.load_splat<u32>(at, 2 * QKV_ROW);
      a2 = f32x4.relaxed_madd(q2, a, a2);
      b2 = f32x4.relaxed_madd(q2, b, b2);
      const q3 = v128.load_splat<u32>(at, 3 * QKV_ROW);
      a3 = f32x4.relaxed_madd(q3, a, a3);
      b3 = f32x4.relaxed_madd(q3, b, b3);
      key += columns;
    }
    let out = scores + column;
    v128.store(out, a0);
    v128.store(out, b0, 16);
    out += columns;
    v128.store(out, a1);
    v128.store(out, b1, 16);
    out += columns;
    v128.store(out, a2);
    v128.store(out, b2, 16);
    out += columns;
    v128.store(out, a3);
    v128.store(out, b3, 16);
  }
}

/** Replaces scores by probabilities; padding gets 0. */
function toProbabilities(scores: usize, tokens: i32, columns: i32): void {
  for (let token = tokens; token * 4 < columns; token++) store<f32>(scores + token * 4, -1e30);
  let largest = f32x4.splat(-1e30);
  for (let column = 0; column < columns; column += 16)
    largest = f32x4.max(largest, v128.load(scores + column));
  largest = f32x4.max(largest, i32x4.shuffle(largest, largest, 2, 3, 0, 1));
  largest = f32x4.max(largest, i32x4.shuffle(largest, largest, 1, 0, 3, 2));
  let sum = f32x4.splat(0);
  for (let column = 0; column < columns; column += 16) {
    const power = exponentiate(f32x4.sub(v128.load(scores + column), largest));
    v128.store(scores + column, power);
    sum = f32x4.add(sum, power);
  }
  const factor = f32x4.splat(<f32>1 / addLanes(sum));
  for (let column = 0; column < columns; column += 16) {
    v128.store(scores + column, f32x4.mul(v128.load(scores + column), factor));
  }
}

/** The values of all tokens, weighted by the probabilities of 4 tokens, 8 numbers at a time. */
function mix4(probabilities: usize, values: usize, out: usize, tokens: i32, columns: i32): void {
  for (let number = 0; number < HEAD * 4; number += 32) {
    let a0 = f32x4.splat(0),
      a1 = f32x4.splat(0),
      a2 = f32x4.splat(0),
      a3 = f32x4.splat(0);
    let b0 = f32x4.splat(0),
      b1 = f32x4.splat(0),
      b2 = f32x4.splat(0),
      b3 = f32x4.splat(0);
    let value = values + number;
    for (let column = 0; column < tokens * 4; column += 4) {
      const a = v128.load(value);
      const b = v128.load(value, 16);
      let at = probabilities + column;
      const p0 = v128.load_splat<u32>(at);
      a0 = f32x4.relaxed_madd(p0, a, a0);
      b0 = f32x4.relaxed_madd(p0, b, b0);
      at += columns;
      const p1 = v128.load_splat<u32>(at);
      a1 = f32x4.relaxed_madd(p1, a, a1);
      b1 = f32x4.relaxed_madd(p1, b, b1);
      at += columns;
      const p2 = v128.load_splat<u32>(at);
      a2 = f32x4.relaxed_madd(p2, a, a2);
      b2 = f32x4.relaxed_madd(p2, b, b2);
      at += columns;
      const p3 = v128.load_splat<u32>(at);
      a3 = f32x4.relaxed_madd(p3, a, a3);
      b3 = f32x4.relaxed_madd(p3, b, b3);
      value += QKV_ROW;
    }
    const to = out + number;
    v128.store(to, a0);
    v128.store(to, b0, 16);
    v128.store(to, a1, ROW);
    v128.store(to, b1, ROW + 16);
    v128.store(to, a2, 2 * ROW);
    v128.store(to, b2, 2 * ROW + 16);
    v128.store(to, a3, 3 * ROW);
    v128.store(to, b3, 3 * ROW + 16);
  }
}

/** GELU, in place. */
function activate(x: usize, count: i32): void {
  for (const end = x + count * 4; x < end; x += 16) {
    const value = v128.load(x);
    const half = f32x4.mul(value, f32x4.splat(0.5));
    v128.store(
      x,
      f32x4.mul(half, f32x4.add(f32x4.splat(1), errorFunction(f32x4.mul(value, f32x4.splat(Mathf.SQRT1_2))))),
    );
  }
}

/** Abramowitz and Stegun 7.1.26: off by at most 1.5e-7. */
function errorFunction(x: v128): v128 {
  const absolute = f32x4.abs(x);
  const t = f32x4.div(f32x4.splat(1), f32x4.relaxed_madd(absolute, f32x4.splat(0.3275911), f32x4.splat(1)));
  let sum = f32x4.splat(1.061405429);
  sum = f32x4.relaxed_madd(sum, t, f32x4.splat(-1.453152027));
  sum = f32x4.relaxed_madd(sum, t, f32x4.splat(1.421413741));
  sum = f32x4.relaxed_madd(sum, t, f32x4.splat(-0.284496736));
  sum = f32x4.relaxed_madd(sum, t, f32x4.splat(0.254829592));
  const power = exponentiate(f32x4.neg(f32x4.mul(absolute, absolute)));
  const positive = f32x4.sub(f32x4.splat(1), f32x4.mul(f32x4.mul(sum, t), power));
  return v128.or(v128.and(x, i32x4.splat(0x80000000)), positive);
}

/** e to the power of `x`, for `x` up to 0: 2 to a whole number, times a polynomial of the rest. */
function exponentiate(x: v128): v128 {
  x = f32x4.max(x, f32x4.splat(-87));
  const whole = f32x4.nearest(f32x4.mul(x, f32x4.splat(Mathf.LOG2E)));
  // The natural logarithm of 2, in two parts.
  let rest = f32x4.relaxed_madd(whole, f32x4.splat(-0.693359375), x);
  rest = f32x4.relaxed_madd(whole, f32x4.splat(2.1219444e-4), rest);
  let sum = f32x4.splat(1.98756915e-4);
  sum = f32x4.relaxed_madd(sum, rest, f32x4.splat(1.3981999507e-3));
  sum = f32x4.relaxed_madd(sum, rest, f32x4.splat(8.3334519073e-3));
  sum = f32x4.relaxed_madd(sum, rest, f32x4.splat(4.1665795894e-2));
  sum = f32x4.relaxed_madd(sum, rest, f32x4.splat(0.16666665459));
  sum = f32x4.relaxed_madd(sum, rest, f32x4.splat(0.50000001201));
  sum = f32x4.relaxed_madd(f32x4.mul(sum, rest), rest, f32x4.add(rest, f32x4.splat(1)));
  const exponent = i32x4.add(i32x4.relaxed_trunc_f32x4_s(whole), i32x4.splat(127));
  return f32x4.mul(sum, i32x4.shl(exponent, 23));
}

function addLanes(x: v128): f32 {
  return (
    f32x4.extract_lane(x, 0) + f32x4.extract_lane(x, 1) + f32x4.extract_lane(x, 2) + f32x4.extract_lane(x, 3)
  );
}

/**
 * Writes the product of one vector of bytes with each of several to `out`, 32 bits each. The numbers of all vectors lie behind
 * each other.
 */
export function multiplyBytes(query: usize, vectors: usize, count: i32, dimensions: i32, out: usize): void {
  const whole = dimensions & ~15;
  for (let index = 0; index < count; index++) {
    const vector = vectors + index * dimensions;
    let sums = i32x4.splat(0);
    for (let at = 0; at < whole; at += 16) {
      const a = v128.load(query + at);
      const b = v128.load(vector + at);
      sums = i32x4.add(sums, i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_s(a), i16x8.extend_low_i8x16_s(b)));
      sums = i32x4.add(sums, i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_s(a), i16x8.extend_high_i8x16_s(b)));
    }
    let sum =
      i32x4.extract_lane(sums, 0) +
      i32x4.extract_lane(sums, 1) +
      i32x4.extract_lane(sums, 2) +
      i32x4.extract_lane(sums, 3);
    for (let at = whole; at < dimensions; at++) sum += <i32>load<i8>(query + at) * <i32>load<i8>(vector + at);
    store<i32>(out + index * 4, sum);
  }
}
