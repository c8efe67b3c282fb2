import { describe, expect, it } from 'vitest';
import { rangeIn } from './every_step';

const WHOLE = { first: 1, last: 400 };

describe('steps that zooming asks for', () => {
  it('stay within all of them, as many as they are', () => {
    expect(rangeIn(WHOLE, 101, 300)).toEqual({ first: 101, last: 300 });
    expect(rangeIn(WHOLE, -50, 149)).toEqual({ first: 1, last: 200 });
    expect(rangeIn(WHOLE, 301, 500)).toEqual({ first: 201, last: 400 });
  });

  it('are a few at least, around what was asked for', () => {
    expect(rangeIn(WHOLE, 100, 100)).toEqual({ first: 99, last: 102 });
  });

  it('are all where there are no more', () => {
    expect(rangeIn(WHOLE, -200, 700)).toBeNull();
    expect(rangeIn({ first: 7, last: 8 }, 7, 7)).toBeNull();
  });
});
