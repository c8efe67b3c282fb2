import type { Query, ReadonlySignal } from '@insight-host/api';
import { Page } from '@insight-host/kit';
import { fakeContext } from '@insight-host/kit/testing';
import { expect, it, vi } from 'vitest';
import { textOf, type Answer, type Finding } from './answer';
import { open } from './entries';
import { FindingsBoard } from './findings';
import snapshot from './snapshot';

/** As the page does. */
function set<T>(source: ReadonlySignal<T>, value: T): void {
  (source as { value: T }).value = value;
}

const NAMES = Array.from({ length: 20 }, (_, at) => `run${at}`);

function finding(runs: readonly string[], more: Partial<Finding> = {}): Finding {
  return {
    plugin: 'diagnose',
    rule: 'divergence',
    runs,
    severity: 'warning',
    title: { error: 'Loss diverged' },
    saw: { error: `${runs[0]} is odd`, code: 'mine_odd', details: { tag: 'a.b', step: 12_000, level: 1.416e11 } },
    change: { error: 'change' },
    shared: [],
    place: { plugin: 'scalar', tag: 'a.b', steps: [12_000, 13_000], state: {} },
    saves: null,
    confidence: 'measured',
    each: [],
    ...more,
  };
}

/** `left` runs are not checked yet; run3 has an error, run4 and run5 the same warning. */
function answered(runs: readonly string[], left = 0, isPending = false): Answer {
  return {
    findings: [
      finding(['run3'], { severity: 'error', rule: 'nonfinite' }),
      finding(['run4', 'run5'], { each: [finding(['run4']), finding(['run5'])] }),
    ],
    rules: [
      { plugin: 'diagnose', id: 'divergence', title: { error: 'Diverges' }, scope: 'run', checked: runs.length - left },
      { plugin: 'diagnose', id: 'overfitting', title: { error: 'Overfitting' }, scope: 'run', checked: 0 },
    ],
    unchecked: [
      {
        plugin: 'diagnose',
        rule: 'overfitting',
        runs,
        reason: { error: 'no tag' },
        failed: false,
        pending: isPending,
      },
    ],
    runs: runs.length,
    left,
    generation: 0,
    messages: { 'zh-CN': { 'reason.mine_odd': '{tag} 在第 {step} 步为 {level}', 'reason.mine_hole': '{nothing}' } },
  };
}

function board(left: readonly number[] = [0]): {
  board: FindingsBoard;
  asked: Query[];
  ctx: ReturnType<typeof fakeContext>;
} {
  const asked: Query[] = [];
  const ctx = fakeContext(NAMES, {
    json: async (_, query = {}) => {
      asked.push(query);
      return answered(query['run'] as readonly string[], left[asked.length - 1] ?? 0);
    },
  });
  return { board: new FindingsBoard(new Page(ctx)), asked, ctx };
}

it('asks about all runs that match until the host has checked them', async () => {
  const { board: made, asked } = board([12, 5, 0]);
  await vi.waitFor(() => expect(made.left.value).toBe(0));
  await vi.waitFor(() => expect(asked).toHaveLength(3));
  expect(asked.every(({ run, wait }) => (run as readonly string[]).length === 20 && Number(wait) > 0)).toBe(true);
  expect(made.entries.value.map(({ head }) => [head.runs, head.severity])).toEqual([
    [['run3'], 'error'],
    [['run4', 'run5'], 'warning'],
  ]);
  expect(made.checked.value.map(({ id }) => id)).toEqual(['divergence']);
  expect(made.unchecked.value.map(({ rule, runs }) => [rule, runs.length])).toEqual([['overfitting', 20]]);
  made.page.dispose();
});

it('does not depend on which runs are drawn, but on which match', async () => {
  const { board: made, asked, ctx } = board();
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  ctx.runs.select(['run3']);
  await Promise.resolve();
  expect(asked).toHaveLength(1);
  set(ctx.runs.shown, ctx.runs.all.value.slice(0, 7));
  await vi.waitFor(() => expect(asked).toHaveLength(2));
  expect(asked[1]?.['run']).toHaveLength(7);
  made.only.set('run5');
  expect(made.entries.value.map(({ runs }) => runs)).toEqual([['run4', 'run5']]);
  made.page.dispose();
});

it('asks for nothing while another tab is in front', async () => {
  const { board: made, asked, ctx } = board();
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  set(ctx.visible, false);
  set(ctx.generation, 8);
  await made.ask();
  expect(asked).toHaveLength(1);
  set(ctx.visible, true);
  await vi.waitFor(() => expect(asked).toHaveLength(2));
  made.page.dispose();
});

it('asks again while a profile is being read, until it was checked', async () => {
  vi.useFakeTimers();
  try {
    let asked = 0;
    const ctx = fakeContext(['a', 'b'], { json: async () => answered(['a', 'b'], 0, ++asked < 3) });
    const made = new FindingsBoard(new Page(ctx));
    await vi.advanceTimersByTimeAsync(0);
    expect(made.pending.value).toBe(1);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(asked).toBe(3);
    expect(made.pending.value).toBe(0);
    made.page.dispose();
  } finally {
    vi.useRealTimers();
  }
});

it('says a failure, and keeps what is known', async () => {
  const ctx = fakeContext(['a'], { json: () => Promise.reject(new Error('the host is away')) });
  const made = new FindingsBoard(new Page(ctx));
  await vi.waitFor(() => expect(made.failure.value).toBe('the host is away'));
  made.page.dispose();
});

it('writes a reason in the language of the user by the texts of the plugin, or as the host said it', () => {
  const { ctx } = board();
  const { messages } = answered([]);
  const { saw } = finding(['run1']);
  expect(textOf(ctx, messages, saw)).toBe('run1 is odd');
  ctx.locale.value = 'zh-CN';
  expect(textOf(ctx, messages, saw)).toBe('a.b 在第 12,000 步为 1.416e11');
  expect(textOf(ctx, messages, { error: 'plain', code: 'mine_hole' })).toBe('plain');
  const nested = { error: 'why: odd', code: 'mine_cause', details: { cause: saw } };
  const more = { 'zh-CN': { ...messages['zh-CN'], 'reason.mine_cause': '原因：{cause}' } };
  expect(textOf(ctx, more, nested)).toBe('原因：a.b 在第 12,000 步为 1.416e11');
});

it('opens the tag with all runs of the finding and the cursor at the step', () => {
  const { ctx } = board();
  open(ctx, finding(['run4', 'run5']));
  expect(ctx.opened).toEqual([{ plugin: 'scalar', state: { tags: '^a\\.b$' } }]);
  expect(ctx.cursor.value?.step).toBe(12_000);
  expect(ctx.runs.selected.value.map(({ name }) => name)).toEqual(['run4', 'run5']);
});

it('answers in a snapshot with the findings of the file', async () => {
  const known = answered(['run3']);
  const opened = await snapshot.open(new TextEncoder().encode(JSON.stringify(known)).buffer);
  const answer = await opened.answer('findings');
  expect(await answer?.json()).toEqual(known);
  expect(await opened.answer('tags')).toBeNull();
});
