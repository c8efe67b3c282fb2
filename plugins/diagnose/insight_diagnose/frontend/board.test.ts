import type { Query, ReadonlySignal } from '@insight-host/api';
import { Page } from '@insight-host/kit';
import { fakeContext } from '@insight-host/kit/testing';
import { expect, it, vi } from 'vitest';
import { FindingsBoard } from './board';
import { open, openPlace, textOf, type Answer, type Finding, type HighlightsAnswer } from './findings';

/** As the page does. */
function set<T>(source: ReadonlySignal<T>, value: T): void {
  (source as { value: T }).value = value;
}

const NAMES = Array.from({ length: 20 }, (_, at) => `run${at}`);

function finding(run: string, more: Partial<Finding> = {}): Finding {
  return {
    plugin: 'diagnose',
    rule: 'divergence',
    run,
    severity: 'warning',
    saw: { error: `${run} is odd`, code: 'mine_odd', details: { tag: 'a.b', step: 12_000, level: 1.416e11 } },
    why: { error: 'why' },
    change: { error: 'change' },
    place: { plugin: 'scalar', tag: 'a.b', steps: [12_000, 13_000], state: {} },
    saves: null,
    ...more,
  };
}

/** run3 has an error, run4 a warning; a rule cannot be checked for any. */
function answered(query: Query | undefined): Answer {
  const runs = query?.['run'] as readonly string[];
  return {
    rules: [{ plugin: 'diagnose', id: 'divergence', title: { error: 'Diverges' } }],
    findings: [
      ...runs.filter((run) => run === 'run4').map((run) => finding(run)),
      ...runs.filter((run) => run === 'run3').map((run) => finding(run, { severity: 'error' })),
    ],
    more: 0,
    checked: runs.map((run) => ({ plugin: 'diagnose', rule: 'divergence', run })),
    unchecked: runs.map((run) => ({
      plugin: 'diagnose',
      rule: 'overfitting',
      run,
      failed: false,
      pending: false,
      reason: { error: 'no tag' },
    })),
    messages: { 'zh-CN': { 'reason.mine_odd': '{tag} 在第 {step} 步为 {level}', 'reason.mine_hole': '{nothing}' } },
  };
}

/** Something about all runs together, and a source that failed. */
function highlighted(query: Query | undefined): HighlightsAnswer {
  const runs = query?.['run'] as readonly string[];
  const text = { error: `${runs.length} runs`, code: 'mine_all', details: { count: runs.length } };
  const place = { plugin: 'scalar', tag: '', steps: null, state: { target: 'metric/loss' } };
  return {
    highlights: [{ plugin: 'mine', source: 'all', tone: 'good', text, runs: ['run2', 'run5'], place }],
    failed: [{ plugin: 'bad', source: 'x', reason: { error: 'it broke' } }],
    messages: { 'zh-CN': { 'reason.mine_all': '{count} 个训练' } },
  };
}

function board(): { board: FindingsBoard; asked: (readonly string[])[]; ctx: ReturnType<typeof fakeContext> } {
  const asked: (readonly string[])[] = [];
  const ctx = fakeContext(NAMES, {
    json: async (route, query) => {
      if (route === 'highlights') return highlighted(query);
      asked.push(query?.['run'] as readonly string[]);
      return answered(query);
    },
  });
  return { board: new FindingsBoard(new Page(ctx)), asked, ctx };
}

it('asks for a few runs at a time, and lists the worst findings first', async () => {
  const { board: made, asked } = board();
  await vi.waitFor(() => expect(made.checked.value).toHaveLength(20));
  expect(asked.map((runs) => runs.length)).toEqual([8, 8, 4]);
  expect(made.findings.value.map(({ run, severity }) => [run, severity])).toEqual([
    ['run3', 'error'],
    ['run4', 'warning'],
  ]);
  expect([...made.checkedRules.value]).toEqual(['diagnose/divergence']);
  expect(made.unchecked.value.map(({ one, count }) => [one.rule, count])).toEqual([['overfitting', 20]]);
  made.page.dispose();
});

it('asks only for runs that are selected and were not checked since the data changed', async () => {
  const { board: made, asked, ctx } = board();
  await vi.waitFor(() => expect(made.checked.value).toHaveLength(20));
  asked.length = 0;
  ctx.runs.select(['run3', 'run5']);
  expect(made.findings.value.map(({ run }) => run)).toEqual(['run3']);
  await made.ask();
  expect(asked).toEqual([]);
  set(ctx.generation, 7);
  await made.ask();
  expect(asked).toEqual([['run3', 'run5']]);
  made.page.dispose();
});

it('asks for nothing while another tab is in front', async () => {
  const { board: made, asked, ctx } = board();
  await vi.waitFor(() => expect(made.checked.value).toHaveLength(20));
  asked.length = 0;
  set(ctx.visible, false);
  set(ctx.generation, 8);
  await made.ask();
  expect(asked).toEqual([]);
  set(ctx.visible, true);
  await vi.waitFor(() => expect(asked).toHaveLength(3));
  made.page.dispose();
});

it('asks again for the runs whose profile is still being read, until it was checked', async () => {
  vi.useFakeTimers();
  try {
    const asked: (readonly string[])[] = [];
    const ctx = fakeContext(['a', 'b'], {
      json: async (route, query) => {
        if (route === 'highlights') return highlighted(query);
        asked.push(query?.['run'] as readonly string[]);
        const answer = answered(query);
        const isRead = asked.length > 2;
        return {
          ...answer,
          unchecked: answer.unchecked.map((one) => ({ ...one, pending: one.run === 'b' && !isRead })),
        };
      },
    });
    const made = new FindingsBoard(new Page(ctx));
    await vi.advanceTimersByTimeAsync(0);
    expect(asked).toEqual([['a', 'b']]);
    expect(made.pending.value).toBe(1);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(asked).toEqual([['a', 'b'], ['b'], ['b']]);
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
  const { messages } = answered({ run: [] });
  const { saw } = finding('run1');
  expect(textOf(ctx, messages, saw)).toBe('run1 is odd');
  ctx.locale.value = 'zh-CN';
  expect(textOf(ctx, messages, saw)).toBe('a.b 在第 12,000 步为 1.416e11');
  expect(textOf(ctx, messages, { error: 'plain', code: 'mine_hole' })).toBe('plain');
  const nested = { error: 'why: odd', code: 'mine_cause', details: { cause: saw } };
  const more = { 'zh-CN': { ...messages['zh-CN'], 'reason.mine_cause': '原因：{cause}' } };
  expect(textOf(ctx, more, nested)).toBe('原因：a.b 在第 12,000 步为 1.416e11');
});

it('opens the tag of the run with the cursor at the step', () => {
  const { ctx } = board();
  open(ctx, finding('run4'));
  expect(ctx.opened).toEqual([{ plugin: 'scalar', state: { tags: '^a\\.b$' } }]);
  expect(ctx.cursor.value?.step).toBe(12_000);
  expect(ctx.runs.selected.value.map(({ name }) => name)).toEqual(['run4']);
});

it('says what matters about all selected runs together, and which sources failed', async () => {
  const { board: made, ctx } = board();
  await vi.waitFor(() => expect(made.matters.highlights.value).toHaveLength(1));
  const [first] = made.matters.highlights.value;
  expect(first?.text.error).toBe('20 runs');
  expect(made.matters.failures.value).toEqual(['bad: it broke']);
  ctx.locale.value = 'zh-CN';
  expect(first && textOf(ctx, made.matters.messages.value, first.text)).toBe('20 个训练');
  expect(first?.place?.plugin).toBe('scalar');
  if (first?.place) openPlace(ctx, first.runs, first.place);
  expect(ctx.opened).toEqual([{ plugin: 'scalar', state: { target: 'metric/loss' } }]);
  await vi.waitFor(() => expect(made.matters.highlights.value[0]?.text.error).toBe('2 runs')); // those that it selected
  made.page.dispose();
});
