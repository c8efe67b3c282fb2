import { fakeContext } from '@insight-host/kit/testing';
import { expect, it, vi } from 'vitest';
import { findingsOfAll } from './all_runs';
import { NOTHING, type Finding } from './answer';
import { answersOf } from './answers_strip';

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

it('shows nothing that was dismissed above the charts', () => {
  const [bad, worse] = [finding('plateau', 'warning', ['a']), finding('nonfinite', 'error', ['b'])];
  const good = finding('best', 'good', ['a']);
  const dismissed = { hides: ({ key }: { key: string }) => key === 'diagnose/nonfinite' };
  expect(answersOf([worse, bad, good], { hides: () => false })).toEqual([good, worse]);
  expect(answersOf([worse, bad, good], dismissed)).toEqual([good, bad]);
});
