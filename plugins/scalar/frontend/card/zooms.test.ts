import { describe, expect, it } from 'vitest';
import { pairsCodec } from '../board';
import { smoothingCodec } from '../feed/smoothing';
import {
  linkedZoom,
  logFlags,
  look,
  rounded,
  stepBack,
  top,
  widened,
  zoomsCodec,
  type Zoom,
  type ZoomStack,
} from './zooms';

describe('codecs', () => {
  it('carry pairs of tags with any letters', () => {
    const pairs = new Map(['', 'loss/train', 'a;b=c,d%~'].map((name) => [name, `${name}=;`]));
    expect(pairsCodec.parse(pairsCodec.format(pairs))).toEqual(pairs);
  });

  it('leave the default out of the URL', () => {
    expect(smoothingCodec.format(0)).toBeNull();
    expect(zoomsCodec.format(new Map())).toBeNull();
  });

  it('take nonsense as the default', () => {
    expect(smoothingCodec.parse('much')).toBe(0);
    expect(smoothingCodec.parse('7')).toBe(0.999);
    expect(zoomsCodec.parse('loss=5,1;%E0%A4%A=1,2;=;acc=,,3,x').size).toBe(0);
    expect(linkedZoom.parse('1')).toBeNull();
    expect(logFlags.parse('a=;b=q;c=y')).toEqual(new Map([['c', { x: false, y: true }]]));
  });

  it('carry zoom windows of either axis', () => {
    const zooms = new Map<string, Zoom>([
      ['a', { x: [1, 2], y: null }],
      ['b', { x: null, y: [-0.5, 1e-7] }],
      ['c', { x: [1700000000.123, 1700000000.456], y: [0, 1] }],
    ]);
    expect(zoomsCodec.parse(zoomsCodec.format(zooms))).toEqual(zooms);
  });

  it('round windows to what a screen shows', () => {
    expect(rounded([0.123456789, 100.987654321])).toEqual([0.123, 100.988]);
    expect(rounded([1700000000.1234567, 1700000000.1235678])).toEqual([1700000000.1234567, 1700000000.1235678]);
    expect(rounded([1e20, 3e20])).toEqual([1e20, 3e20]);
  });
});

describe('zoom stack', () => {
  const a: Zoom = { x: [0, 10], y: null };
  const b: Zoom = { x: [2, 5], y: [0, 1] };
  it('steps back one gesture at a time', () => {
    let stack: ZoomStack = look([], a, 'zoom');
    stack = look(stack, b, 'zoom');
    expect(top(stack)).toEqual(b);
    stack = stepBack(stack);
    expect(top(stack)).toEqual(a);
    expect(top(stepBack(stack))).toBeNull();
    expect(stepBack([])).toEqual([]);
  });
  it('takes the moves of one pan as one step', () => {
    let stack = look(look([], a, 'zoom'), b, 'pan');
    stack = look(stack, { x: [3, 6], y: [0, 1] }, 'pan', true);
    expect(stack).toHaveLength(2);
    expect(top(stepBack(stack))).toEqual(a);
  });
  it('is asked for with as much again around it', () => {
    expect(widened([10, 20], false)).toEqual([5, 25]);
    expect(widened([10, 1000], true).map(Math.round)).toEqual([1, 10000]);
  });
  it('is emptied by a reset, and does not repeat a window', () => {
    expect(look([a, b], { x: null, y: null }, 'reset')).toEqual([]);
    expect(look([a], a, 'zoom')).toEqual([a]);
  });
});
