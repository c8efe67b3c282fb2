import { describe, expect, it } from 'vitest';
import { SeriesClock } from './requests';

describe('the clock of changes', () => {
  it('makes only answers about the series that changed out of date', () => {
    const clock = new SeriesClock();
    const before = clock.now;
    clock.changed({ one: ['loss'] });
    expect(clock.isCurrent(before, 'loss', ['one'])).toBe(false);
    expect(clock.isCurrent(before, 'acc', ['one'])).toBe(true);
    expect(clock.isCurrent(before, 'loss', ['two'])).toBe(true);
    expect(clock.isCurrent(before, 'loss', ['two', 'one'])).toBe(false);
    expect(clock.isKnown(before)).toBe(true);
    expect(clock.isCurrent(clock.now, 'loss', ['one'])).toBe(true);
  });

  it('makes every answer out of date when anything may have changed', () => {
    const clock = new SeriesClock();
    clock.changed({ one: ['loss'] });
    const before = clock.now;
    clock.changed(null);
    expect(clock.isCurrent(before, 'acc', ['two'])).toBe(false);
    expect(clock.isKnown(before)).toBe(false);
    expect(clock.isCurrent(clock.now, 'loss', ['one'])).toBe(true);
  });
});
