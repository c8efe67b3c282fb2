import { Page } from '@insight-host/kit';
import { fakeContext, fakeTags } from '@insight-host/kit/testing';
import { expect, it } from 'vitest';
import { tensorParts, writerOf } from './board';

it('shows our own tensors, and on request those that no plugin claims', () => {
  const ctx = fakeContext(['a'], { series: { a: { table: { plugin: 'tensor' } } } });
  ctx.tags.withUnclaimed.value = fakeTags({
    a: {
      table: { plugin: 'tensor' },
      curve: { plugin: 'plugin:pr_curves' },
      session: { plugin: 'plugin:hparams' },
      custom_scalars__config__: { plugin: 'plugin:custom_scalars' },
      sound: { plugin: 'tensorboard:audio' },
    },
  });
  const parts = tensorParts(new Page(ctx));
  expect([...parts.tags.runsByTag.value.keys()]).toEqual(['table']);
  parts.others.set(true);
  expect([...parts.tags.runsByTag.value.keys()]).toEqual(['table', 'curve']);
  const writers = ['table', 'curve'].map((tag) => writerOf(parts.tags.infoOf('a', tag)!));
  expect(writers).toEqual(['', 'pr_curves']);
  parts.others.set(false);
  expect([...parts.tags.runsByTag.value.keys()]).toEqual(['table']);
});
