import type { PluginContext } from '@insight-host/api';
import { expect, it } from 'vitest';
import { findingChoices, type Quoted } from './findings';

const FOUND = {
  plugin: 'diagnose',
  rule: 'nonfinite',
  runs: ['a', 'b'],
  severity: 'error',
  saw: { error: 'loss is NaN first at step 30', code: 'saw', details: { tag: 'loss', step: 30 } },
  change: { error: 'lower the learning rate' },
  place: { plugin: 'scalar', tag: 'train/loss', state: { smooth: '0' } },
};
const ANSWER = {
  rules: [{ plugin: 'diagnose', id: 'nonfinite', title: { error: 'Loss is not finite' } }],
  messages: { 'zh-CN': { 'reason.saw': '{tag} 在第 {step} 步首次为 NaN' } },
};

/** A page whose host has checked all runs when it is asked for the second time. */
function fakeContext(locale: string, tabs: readonly string[]): PluginContext {
  let asked = 0;
  return {
    name: 'reports',
    tabs: { value: tabs },
    locale: { value: locale },
    runs: { shown: { value: [{ name: 'a' }, { name: 'b' }] } },
    reason: ({ error }: { readonly error: string }) => error,
    t: (key: string, values: { readonly count: number }) => `${key} ${values.count}`,
    ask: () => Promise.resolve({ ...ANSWER, findings: ++asked < 2 ? [] : [FOUND], left: asked < 2 ? 1 : 0 }),
  } as unknown as PluginContext;
}

it('quotes what rules found in all runs, with the title of the rule and the way to the evidence', async () => {
  const [choice] = await findingChoices(fakeContext('en', ['diagnose']));
  expect(choice).toMatchObject({
    text: 'Loss is not finite: loss is NaN first at step 30',
    detail: 'finding.runs 2',
    card: { plugin: 'reports', card: 'finding' },
  });
  const quoted = JSON.parse(choice?.card.state['reports.finding'] ?? '') as Quoted;
  expect(quoted).toEqual({
    severity: 'error',
    title: 'Loss is not finite',
    saw: 'loss is NaN first at step 30',
    change: 'lower the learning rate',
    runs: ['a', 'b'],
    plugin: 'scalar',
    state: { tags: '^train/loss$', smooth: '0' },
  });
});

it('quotes in the language of the page, and nothing where no plugin looks for findings', async () => {
  const [choice] = await findingChoices(fakeContext('zh-CN', ['diagnose']));
  expect(choice?.text).toContain('loss 在第 30 步首次为 NaN');
  expect(await findingChoices(fakeContext('en', ['scalar']))).toEqual([]);
});
