import { expect, it } from 'vitest';
import { canvasFile, pictureOf } from './files';

it('a picture leaves out what no XML may hold, and is well-formed with it', () => {
  const root = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  root.append('a\u0001\uffffb<&\u{1f600}');
  expect(pictureOf(root, 4, 3)).toMatchObject({ width: 4, height: 3 });
  expect(pictureOf(root, 4, 3).text).toContain('>ab&lt;&amp;\u{1f600}</svg>');
});

it('a canvas that cannot be encoded says its size', async () => {
  const canvas = { width: 40_000, height: 3, toBlob: (done: (blob: Blob | null) => void) => done(null) };
  await expect(canvasFile(canvas as unknown as HTMLCanvasElement)).rejects.toThrow('40000 x 3');
});
