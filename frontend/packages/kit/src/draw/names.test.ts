import { describe, expect, it } from 'vitest';
import { namesApart } from './names';
import { estimatedWidth } from './painter';

const SIZE = 10;
const letters = (count: number): number => count * 5.6;
const apart = (names: readonly string[], count: number): readonly string[] => namesApart(names, letters(count), SIZE);
const sweep = ['0.1', '0.01', '0.001'].flatMap((rate) => [0, 1].map((seed) => `resnet50-imagenet-lr-${rate}-s${seed}`));

describe('names in short of room', () => {
  it('are whole where all fit', () => {
    expect(apart(sweep, 40)).toEqual(sweep);
    expect(apart([], 3)).toEqual([]);
  });

  it('lose the words that all of them share, the farthest first', () => {
    expect(apart(sweep, 22)).toEqual(sweep.map((name) => name.replace('resnet50-imagenet', '…imagenet')));
    expect(apart(sweep, 14)[5]).toBe('…lr-0.001-s1');
  });

  it('lose the ellipsis before a letter of what tells them apart', () => {
    const runs = ['adam-0.1', 'momentum-0.001'].flatMap((name) => [1, 2].map((seed) => `sweep/${name}-s${seed}`));
    expect(apart(runs, 20)[3]).toBe('…momentum-0.001-s2');
    expect(apart(runs, 18)).toEqual(runs.map((name) => name.replace('sweep/', '')));
  });

  it('keep what differs in the middle between an equal beginning and an equal end', () => {
    const names = ['adam_lr_1e-3', 'adam_lr_1e-4', 'lion'].map((name) => `runs/2024-05-01_base/${name}/logs/version_0`);
    expect(apart(names, 16)).toEqual(['…adam_lr_1e-3…', '…adam_lr_1e-4…', '…lion…']);
    expect(apart(['a_1_of_many_words_x', 'a_2_of_many_words_x'], 12)).toEqual(['a_1…', 'a_2…']);
  });

  it('keep a short word that says what a value is of', () => {
    expect(apart(['sgd_lr_1_seed_1_x', 'adam_lr_2_seed_2_x'], 14)).toEqual(['sgd_lr_1…1…', 'adam_lr_2…2…']);
  });

  it('keep the numbers of words that are written together', () => {
    const names = ['0.0003', '0.003'].flatMap((rate) => [4, 16].map((width) => `lr${rate}-width${width}-seed1`));
    expect(apart(names, 16)).toEqual(['lr0.0003…4…', 'lr0.0003…16…', 'lr0.003…4…', 'lr0.003…16…']);
  });

  it('take the dots of settings for ends of words, but not those of numbers', () => {
    expect(apart(['model.decoder.lr=0.1', 'model.decoder.lr=0.2'], 10)).toEqual(['…lr=0.1', '…lr=0.2']);
    expect(apart(['model.encoder.width', 'model.decoder.width'], 11)).toEqual(['…encoder…', '…decoder…']);
  });

  it('keep every place in which they differ', () => {
    const names = ['exp/adam/logs/version_1/final', 'exp/sgd_nesterov/logs/version_2/final'];
    expect(apart(names, 18)).toEqual(['…adam…1…', '…sgd_nesterov…2…']);
  });

  it('are compared with those that begin alike, so that one of another kind does not keep them whole', () => {
    const found = apart([...sweep, 'baseline'], 20);
    expect(found.slice(4)).toEqual(['resnet50…0.001-s0', 'resnet50…0.001-s1', 'baseline']);
    expect(apart([...sweep, 'baseline'], 10).slice(4)).toEqual(['…0.001-s0', '…0.001-s1', 'baseline']);
  });

  it('keep words for which a long name of another directory has no room', () => {
    const names = ['mindspore/lenet_lr0.002', 'mindspore/lenet_lr0.01', 'ranks/rank_0', 'ranks/rank_1', 'torus'];
    expect(apart(names, 10)).toEqual(['…lr0.002', '…lr0.01', 'ranks…0', 'ranks…1', 'torus']);
  });

  it('keep the end of a name that goes on where another ends', () => {
    expect(apart(['experiments/a', 'experiments/a/b'], 8)).toEqual(['…a', '…a/b']);
    expect(apart(['experiment', 'experiment_2'], 11)[0]).toBe('experiment');
  });

  it('are cut in the middle where there is one, or where all are equal', () => {
    expect(apart(['a_name_of_one_run_alone'], 11)).toEqual(['a_na…alone']);
    expect(new Set(apart(['twice_the_same_name', 'twice_the_same_name'], 11))).toEqual(new Set(['twic…_name']));
  });

  it('give equal names equal texts, and others other ones', () => {
    const names = ['exp/long_name/a', 'exp/long_name/b', 'exp/long_name/a'];
    expect(apart(names, 8)).toEqual(['…name/a', '…name/b', '…name/a']);
  });

  it('know how wide Chinese is, and cut words without separators where they differ', () => {
    const names = ['零点零一', '零点一'].map((rate) => `实验一_学习率${rate}_数据增强`);
    expect(namesApart(names, 100, SIZE)).toEqual(['…学习率零点零一…', '…学习率零点一…']);
    const narrow = namesApart(names, 50, SIZE);
    expect(new Set(narrow).size).toBe(2);
    for (const name of narrow) expect(estimatedWidth(name, SIZE)).toBeLessThanOrEqual(50);
  });

  it('differ in letters where a word is too long, and never cut an emoji in two', () => {
    const names = ['base', 'seed1_of_a_very_long_experiment_name', 'seed2_of_a_very_long_experiment_name'];
    const found = apart(names, 10);
    expect(new Set(found).size).toBe(3);
    for (const name of found) expect(estimatedWidth(name, SIZE)).toBeLessThanOrEqual(letters(10));
    expect(apart(['🚀'.repeat(30)], 18)[0]).toMatch(/^🚀*…🚀*$/u);
  });

  it.each([1, 3, 6, 9, 14, 30])('stay different in room for %d letters and more', (count) => {
    const odd = ['', '/', '…', 'a', 'a/', 'a//b', '--', 'a b', ' · ', 'lr=1e-3 · a', 'lr=1e-4 · a', '__a__'];
    expect(apart(odd, count)).toHaveLength(odd.length);
    expect(new Set(apart(odd, Math.max(14, count))).size).toBe(odd.length);
  });
});
