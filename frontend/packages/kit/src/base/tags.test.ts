import { signal } from '@preact/signals';
import type { TagCatalogue } from '@insight-host/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Page } from './page';
import { Tags } from './tags';
import { fakeContext, fakeTags, type FakeContext } from '../testing';

describe('the tags of the runs', () => {
  let ctx: FakeContext;
  let page: Page;
  let tags: Tags;

  beforeEach(() => {
    ctx = fakeContext(['one', 'two'], { series: { one: ['w'], two: { w: {}, v: { attempts: 2 } } } });
    page = new Page(ctx);
    tags = new Tags(page);
  });
  afterEach(() => page.dispose());

  it('are those of the selected runs', () => {
    expect([...tags.runsByTag.value.keys(), ...tags.runNames('w'), tags.hasAttempts.value]).toEqual([
      'w',
      'v',
      'one',
      'two',
      true,
    ]);
    ctx.runs.select(['one']);
    expect([...tags.runsByTag.value.keys(), ...tags.runNames('w'), tags.hasAttempts.value]).toEqual([
      'w',
      'one',
      false,
    ]);
    expect([tags.runNames('gone'), tags.infoOf('two', 'v')?.attempts, tags.infoOf('gone', 'v')]).toEqual([
      [],
      2,
      undefined,
    ]);
  });

  it('follow the catalogue of the page, and keep what they have while it fails', () => {
    ctx.tags.value = fakeTags({ one: ['w', 'new'] });
    expect(tags.runNames('new')).toEqual(['one']);
    ctx.tags.failure.value = 'gone';
    expect([tags.failure.value, tags.runNames('new')]).toEqual(['gone', ['one']]);
    tags.refresh();
    expect(ctx.tags.refreshed.value).toBe(1);
    page.dispose();
    ctx.tags.value = fakeTags({});
    expect(tags.runNames('new')).toEqual(['one']);
  });

  it('come from another part of the catalogue when the user chooses it, once that is known', () => {
    const from = signal<TagCatalogue>(ctx.tags);
    tags = new Tags(page, { from });
    from.value = ctx.tags.withUnclaimed;
    expect([...tags.runsByTag.value.keys()]).toEqual(['w', 'v']);
    ctx.tags.withUnclaimed.value = fakeTags({ one: ['w', 'note'] });
    expect([...tags.runsByTag.value.keys()]).toEqual(['w', 'note']);
    tags.refresh();
    expect([ctx.tags.refreshed.value, ctx.tags.withUnclaimed.refreshed.value]).toEqual([0, 1]);
    ctx.tags.value = fakeTags({ one: ['other'] });
    expect([...tags.runsByTag.value.keys()]).toEqual(['w', 'note']);
  });

  it('are only those of series that the tab shows', () => {
    tags = new Tags(page, { shows: ({ attempts }) => attempts > 1 });
    expect([...tags.runsByTag.value.keys()]).toEqual(['v']);
  });
});
