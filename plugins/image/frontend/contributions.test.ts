import { fakeContext } from '@insight-host/kit/testing';
import { expect, it } from 'vitest';
import contributions from './contributions';

it('the command opens the images of the pinned step, and says so when there is none', () => {
  const ctx = { ...fakeContext([]), name: 'image' };
  const run = (): void => contributions.commands[0]?.run(ctx);
  run();
  expect([ctx.notices, ctx.opened]).toEqual([['nothing'], []]);
  ctx.cursor.pin({ step: 40 });
  run();
  expect(ctx.opened).toEqual([{ plugin: 'image', state: { step: '40', link: '1' } }]);
});
