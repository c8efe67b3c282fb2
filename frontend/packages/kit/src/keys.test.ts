import { expect, it, vi } from 'vitest';
import { addCommands } from './keys';
import { fakeContext } from './testing';

it('lists each action of the keys once in the palette, until the tab ends', () => {
  const ctx = fakeContext([]);
  const [zoom, leave] = [vi.fn(), vi.fn()];
  const stop = addCommands(ctx, [
    ['+', 'zoom.in', zoom],
    ['=', 'zoom.in', zoom],
    ['Escape', 'full.leave', leave],
  ]);
  expect([...ctx.commands.keys()]).toEqual(['zoom.in']);
  ctx.commands.get('zoom.in')?.();
  expect(zoom).toHaveBeenCalledTimes(1);
  stop();
  expect(ctx.commands.size).toBe(0);
});
