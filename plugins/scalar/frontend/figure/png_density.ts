/** Says in a PNG how large it is on paper. */

const HEAD = 33; // bytes of the signature and the first chunk, IHDR

/** The PNG with a chunk `pHYs`, which must come before its pixels. */
export function withDensity(png: Uint8Array, dotsPerInch: number): Uint8Array<ArrayBuffer> {
  const perMetre = Math.round(dotsPerInch / 0.0254);
  const chunk = new Uint8Array(21);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, 9);
  chunk.set([0x70, 0x48, 0x59, 0x73], 4);
  view.setUint32(8, perMetre);
  view.setUint32(12, perMetre);
  chunk[16] = 1; // metres
  view.setUint32(17, checksum(chunk.subarray(4, 17)));
  const out = new Uint8Array(png.length + chunk.length);
  out.set(png.subarray(0, HEAD));
  out.set(chunk, HEAD);
  out.set(png.subarray(HEAD), HEAD + chunk.length);
  return out;
}

/** CRC-32 of PNG. */
function checksum(bytes: Uint8Array): number {
  let rest = 0xffffffff;
  for (const byte of bytes) {
    rest ^= byte;
    for (let bit = 0; bit < 8; bit++) rest = (rest >>> 1) ^ (rest & 1 ? 0xedb88320 : 0);
  }
  return (rest ^ 0xffffffff) >>> 0;
}
