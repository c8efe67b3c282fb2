import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Page } from '../state/page';
import { followExpression } from './matches';

describe('an expression of the run filter', () => {
  let page: Page;
  const matched = (): unknown => page.runs.matched.value?.runs && [...page.runs.matched.value.runs];

  beforeEach(() => {
    vi.useFakeTimers();
    history.replaceState(null, '', '#');
    page = new Page();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('over the status is asked again without a change of the data: silence alone ends a run', async () => {
    let runs = ['a'];
    const fetched = vi.fn(async () => Response.json({ runs }));
    vi.stubGlobal('fetch', fetched);
    followExpression(page);
    page.runs.filterText.set("status = 'running'");
    await vi.advanceTimersByTimeAsync(1000);
    expect(matched()).toEqual(['a']);
    runs = [];
    await vi.advanceTimersByTimeAsync(70_000);
    expect(matched()).toEqual([]);
    page.runs.filterText.set('lr < 1');
    await vi.advanceTimersByTimeAsync(1000);
    const { length } = fetched.mock.calls;
    await vi.advanceTimersByTimeAsync(200_000);
    expect(fetched.mock.calls).toHaveLength(length);
  });

  it('is asked again when a note was written', async () => {
    let runs = ['a'];
    vi.stubGlobal('fetch', async () => Response.json({ runs }));
    followExpression(page);
    page.runs.filterText.set("note = 'best'");
    await vi.advanceTimersByTimeAsync(1000);
    runs = ['b'];
    page.session.annotations.byRun.value = new Map();
    await vi.advanceTimersByTimeAsync(5000);
    expect(matched()).toEqual(['b']);
  });

  it('says in one sentence what is wrong, with what may stand there; that it is unfinished after a while', async () => {
    const answers: Record<string, object> = {
      'val_ac > 1': {
        error: 'No column val_ac. Try: val_acc',
        code: 'unknown_column',
        details: {
          reason: { error: 'No column val_ac', code: 'no_column', details: { column: 'val_ac' } },
          suggestions: ['val_acc'],
          position: 0,
          length: 6,
        },
      },
      'val_acc >': {
        error: 'Unfinished',
        code: 'bad_expression',
        details: { reason: { error: 'Unfinished', code: 'expression_unfinished' }, position: 9, length: 0 },
      },
    };
    vi.stubGlobal('fetch', async (url: string | URL) => {
      const where = new URL(url, 'http://x/').searchParams.get('where') ?? '';
      return Response.json(answers[where], { status: 400 });
    });
    followExpression(page);
    page.runs.filterText.set('val_ac > 1');
    await vi.advanceTimersByTimeAsync(300);
    expect(page.runs.filter.value.error).toBe('No column val_ac');
    expect(page.runs.matched.value).toMatchObject({ suggestions: ['val_acc'], position: 0, length: 6 });
    page.runs.filterText.set('val_acc >');
    await vi.advanceTimersByTimeAsync(300);
    expect(page.runs.filter.value.error).toBeNull();
    await vi.advanceTimersByTimeAsync(1000);
    expect(page.runs.filter.value.error).toBe('Unfinished');
    expect(page.runs.matched.value?.isUnfinished).toBe(true);
  });
});
