import { describe, expect, it } from 'vitest';
import { isParameters, mfuExpression, parametersOf, tokensOf, tokenTags } from './mfu';

describe('tags of tokens', () => {
  it('are known by their words', () => {
    expect(['tokens_per_sec', 'train/tokens/s', 'tps', 'tokensPerSecond'].map(tokensOf)).toEqual(
      Array.from({ length: 4 }, () => 'rate'),
    );
    expect(['train/tokens', 'total_tokens', 'tokens_seen'].map(tokensOf)).toEqual(['count', 'count', 'count']);
    expect(['loss', 'token_accuracy', 'eval/tokens_per_sec', 'samples_per_second'].map(tokensOf)).toEqual(
      Array.from({ length: 4 }, () => null),
    );
  });

  it('come with those of a second first', () => {
    expect(tokenTags(['loss', 'tokens', 'tok/s'])).toEqual(['tok/s', 'tokens']);
  });
});

describe('the expression of MFU', () => {
  const parts = { tag: 'tokens_per_sec', kind: 'rate', parameters: 1.24e8, peak: 989, devices: 8 } as const;

  it('is 6 operations a parameter and token over the peak of all devices', () => {
    expect(mfuExpression(parts)).toBe('6 * 124000000 * tokens_per_sec / (8 * 989000000000000)');
    expect(mfuExpression({ ...parts, tag: 'train tokens', kind: 'count' })).toBe(
      '6 * 124000000 * diff("train tokens") / diff(wall) / (8 * 989000000000000)',
    );
  });

  it('waits for all numbers', () => {
    for (const missing of [{ parameters: NaN }, { peak: 0 }, { devices: -1 }, { tag: '' }])
      expect(mfuExpression({ ...parts, ...missing })).toBeNull();
  });
});

it('numbers of parameters may have units', () => {
  expect(['124M', '7B', '1.3e9', ' 350 k ', '124000000'].map(parametersOf)).toEqual([
    1.24e8, 7e9, 1.3e9, 3.5e5, 1.24e8,
  ]);
  expect(['', 'many', '-3', '3 apples'].map((text) => Number.isNaN(parametersOf(text)))).toEqual(
    Array.from({ length: 4 }, () => true),
  );
});

it('columns of parameters are known by their names', () => {
  expect(
    ['hparams/n_params', 'importers/model.num_parameters', 'a/trainable_params', 'a/parameters'].map(isParameters),
  ).toEqual(Array.from({ length: 4 }, () => true));
  expect(['hparams/lr', 'hparams/params_path', 'a/param_groups'].map(isParameters)).toEqual([false, false, false]);
});
