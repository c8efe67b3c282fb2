import { fakeContext } from '@insight-host/kit/testing';
import { expect, it, vi } from 'vitest';
import { findingsOfAll } from './all_runs';
import { NOTHING, type Finding } from './answer';
import { answersOf, mountAnswers } from './answers_strip';

const finding = (rule: string, severity: Finding['severity'], runs: readonly string[]): Finding => ({
  ...{ plugin: 'diagnose', rule, runs, severity, title: { error: rule }, saw: { error: rule }, change: null },
  ...{ shared: [], place: { plugin: 'scalar', tag: '', steps: null, state: {} }, saves: null },
  ...{ confidence: 'measured', each: [] },
});

it('is one question for the strip and the number at the tab, until runs are left or data change', async () => {
  let left = 0;
  const json = vi.fn(async () => ({ ...NOTHING, runs: 2, left }));
  const ctx = fakeContext(['a', 'b'], { json });
  await Promise.all([findingsOfAll(ctx), findingsOfAll(ctx)]);
  await findingsOfAll(ctx);
  expect(json).toHaveBeenCalledTimes(1);
  (ctx.generation as { value: number }).value++;
  left = 1;
  await findingsOfAll(ctx);
  await findingsOfAll(ctx);
  expect(json).toHaveBeenCalledTimes(3);
});

it('asks again when the tab that asked has ended', async () => {
  const json = vi.fn(async () => ({ ...NOTHING, runs: 1 }));
  json.mockRejectedValueOnce(new DOMException('ended', 'AbortError'));
  const ctx = fakeContext(['another'], { json });
  const [first, second] = await Promise.allSettled([findingsOfAll(ctx), findingsOfAll(ctx)]);
  expect(first.status).toBe('rejected');
  expect(second).toMatchObject({ status: 'fulfilled', value: { runs: 1 } });
});

it('asks again, above the charts, while a rule still checks', async () => {
  vi.useFakeTimers();
  const checking = {
    plugin: 'lineage',
    rule: 'best',
    runs: ['c'],
    reason: { error: '' },
    failed: false,
    pending: true,
  };
  const answers = [
    { ...NOTHING, runs: 1, unchecked: [checking] },
    { ...NOTHING, runs: 1, findings: [finding('best', 'good', ['c'])] },
  ];
  const json = vi.fn(async () => answers.shift() ?? NOTHING);
  const host = document.body.appendChild(document.createElement('div'));
  const unmount = mountAnswers(host, fakeContext(['c'], { json }));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(host.querySelector('[data-severity="good"]')).not.toBeNull();
  expect(json).toHaveBeenCalledTimes(2);
  unmount();
  vi.useRealTimers();
});

it('asks again, above the charts, when the answer is that of another page about earlier data', async () => {
  vi.useFakeTimers();
  const answers = [
    { ...NOTHING, runs: 1, generation: 1 },
    { ...NOTHING, runs: 1, generation: 2, findings: [finding('best', 'good', ['d'])] },
  ];
  const json = vi.fn(async () => answers.shift() ?? NOTHING);
  const ctx = fakeContext(['d'], { json });
  (ctx.generation as { value: number }).value = 2;
  const host = document.body.appendChild(document.createElement('div'));
  const unmount = mountAnswers(host, ctx);
  await vi.advanceTimersByTimeAsync(40_000);
  expect(host.querySelector('[data-severity="good"]')).not.toBeNull();
  expect(json).toHaveBeenCalledTimes(2);
  unmount();
  vi.useRealTimers();
});

it('shows nothing that was dismissed above the charts', () => {
  const [bad, worse] = [finding('plateau', 'warning', ['a']), finding('nonfinite', 'error', ['b'])];
  const good = finding('best', 'good', ['a']);
  const dismissed = { hides: ({ key }: { key: string }) => key === 'diagnose/nonfinite' };
  expect(answersOf([worse, bad, good], { hides: () => false })).toEqual([good, worse]);
  expect(answersOf([worse, bad, good], dismissed)).toEqual([good, bad]);
});
