import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as codecs from './codecs';
import { Page } from './page';
import { fakeContext, type FakeContext } from '../testing';

describe('the page as a tab sees it', () => {
  let ctx: FakeContext;
  let page: Page;
  beforeEach(() => {
    vi.useFakeTimers();
    ctx = fakeContext(['one', 'two']);
    page = new Page(ctx);
  });
  afterEach(() => {
    page.dispose();
    vi.useRealTimers();
  });

  it('follows the selection, and calls runs and tags what people call them', () => {
    ctx.runs.select(['two']);
    expect(page.runs.value.map(({ name }) => name)).toEqual(['two']);
    ctx.runs.all.value = ctx.runs.all.value.map((run) => ({ ...run, displayName: `my ${run.name}` }));
    expect([page.nameOf('one'), page.nameOf('gone'), page.colorOf('one'), page.colorOf('gone')]).toEqual([
      'my one',
      'gone',
      'red',
      'var(--faint)',
    ]);
    expect([page.titleOf('loss'), page.titleOf(' ')]).toEqual(['loss', 'tag.unnamed']);
  });

  it('keeps a setting in the URL, and takes it from there', () => {
    const bins = page.setting('bins', codecs.wholeNumber(0, 100, 10));
    expect(bins.value).toBe(10);
    bins.set(20);
    expect([bins.value, ctx.address.value.get('bins')]).toEqual([20, '20']);
    ctx.address.value = new Map([['bins', '30']]);
    expect(bins.value).toBe(30);
  });

  it('writes a setting that changes often when it rests, unless the URL changes before', async () => {
    const light = page.setting('light', codecs.wholeNumber(0, 200, 100), 300);
    for (const value of [110, 120, 130]) light.set(value);
    expect([light.value, ctx.address.value.size]).toEqual([130, 0]);
    await vi.advanceTimersByTimeAsync(300);
    expect(ctx.address.value.get('light')).toBe('130');
    light.set(150);
    ctx.address.value = new Map([['light', '90']]);
    await vi.advanceTimersByTimeAsync(300);
    expect([light.value, ctx.address.value.get('light')]).toEqual([90, '90']);
  });

  it('ends all that the tab started: what it follows, what it listens to, what it was to write', async () => {
    const light = page.setting('light', codecs.wholeNumber(0, 200, 100), 300);
    const [changed, ended] = [vi.fn<() => void>(), vi.fn<() => void>()];
    page.onChange(ctx.changes, changed);
    page.until(ended);
    expect(changed).not.toHaveBeenCalled();
    ctx.changes.value = { generation: 1, series: null };
    light.set(110);
    page.dispose();
    ctx.changes.value = { generation: 2, series: null };
    ctx.runs.select([]);
    await vi.advanceTimersByTimeAsync(300);
    expect([changed.mock.calls.length, ended.mock.calls.length]).toEqual([1, 1]);
    expect([page.runs.value.length, ctx.address.value.size]).toEqual([2, 0]);
  });
});
