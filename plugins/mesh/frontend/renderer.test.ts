import { expect, it } from 'vitest';
import { Pace } from './renderer';

it('draws less while the camera moves and pictures are slow, and more again at the next move', () => {
  const pace = new Pace('software');
  const first = pace.moving;
  pace.moved(1_000_000, 60);
  expect(pace.moving).toBe(first / 2);
  pace.moved(1_000_000, 10);
  expect(pace.moving).toBe(first / 2); // a shape does not change its look from picture to picture
  pace.moved(3_000, 1e6);
  expect(pace.moving).toBe(4_000);
  for (let n = 0; n < 20; n++) pace.rested();
  expect(pace.moving).toBe(first);
  expect(new Pace('card').atRest).toBe(Infinity);
});
