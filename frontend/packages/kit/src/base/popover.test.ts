import { describe, expect, it } from 'vitest';
import { place } from './popover';

const window = { width: 1000, height: 600 };
const size = { width: 200, height: 100 };
const button = (left: number, top: number) => ({ left, top, right: left + 24, bottom: top + 24 });

describe('the place of a box', () => {
  it('is below its button, their edges in line', () => {
    expect(place(button(400, 100), size, 'below-left', window)).toEqual({ left: 400, top: 128 });
    expect(place(button(400, 100), size, 'below-right', window)).toEqual({ left: 224, top: 128 });
  });

  it('is at the other side where its own lacks room', () => {
    expect(place(button(900, 550), size, 'below-left', window)).toEqual({ left: 724, top: 446 });
    expect(place(button(10, 100), size, 'below-right', window)).toEqual({ left: 10, top: 128 });
    const point = { left: 950, right: 950, top: 560, bottom: 560 };
    expect(place(point, size, 'beside', window)).toEqual({ left: 736, top: 446 });
  });

  it('is within the window', () => {
    expect(place(button(400, 300), { width: 2000, height: 2000 }, 'below-left', window)).toEqual({ left: 8, top: 8 });
  });
});
