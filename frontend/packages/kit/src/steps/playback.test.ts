import { fakeContext } from '../testing';
import { expect, it } from 'vitest';
import { Playback } from './parts';

const CARD = { tag: 'a', run: 'r' };

it('plays one card at a time', () => {
  const playback = new Playback(fakeContext([]).memory);
  playback.toggle(CARD);
  playback.toggle({ tag: 'b', run: 'r' });
  expect(playback.playing.value).toEqual({ tag: 'b', run: 'r' });
  playback.toggle({ tag: 'b', run: 'r' });
  expect(playback.playing.value).toBeNull();
  playback.toggle(CARD);
  playback.stop();
  expect(playback.playing.value).toBeNull();
});

it('remembers the speed, if it is one that there is', () => {
  const { memory } = fakeContext([]);
  new Playback(memory).setSpeed(25);
  expect(new Playback(memory).speed.value).toBe(25);
  memory.set('speed', 'fast');
  expect(new Playback(memory).speed.value).toBe(5);
});
