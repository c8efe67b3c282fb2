import { fakeContext, type FakeContext } from '@insight-host/kit/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { Notes, readNotes, type Note } from './notes';

const note = (id: string, more: Partial<Note> = {}): Note => ({
  id,
  step: 7,
  text: id,
  color: '',
  tag: null,
  run: null,
  ...more,
});

describe('notes on charts', () => {
  let ctx: FakeContext;
  let notes: Notes;
  beforeEach(() => {
    ctx = fakeContext(['a']);
    notes = new Notes(ctx);
  });
  const texts = (some: Notes): string[] => some.all.value.map(({ text }) => text);

  it('are shared by pages, by step, and follow what another page does', async () => {
    const other = new Notes(ctx);
    const stop = other.follow();
    await notes.put('b', note('b', { step: 9 }));
    await notes.put('a', note('a', { step: 3 }));
    await expect.poll(() => texts(other)).toEqual(['a', 'b']);
    await other.put('a', note('a', { step: 3, text: 'edited' }));
    await notes.put('b', null);
    expect(texts(notes)).toEqual(['edited']);
    stop();
  });

  it('are not lost when two pages write at once', async () => {
    const others = ['a', 'b', 'c', 'd'].map((id) => new Notes(ctx).put(id, note(id)));
    await Promise.all(others);
    await notes.put('e', note('e'));
    expect(texts(notes).sort()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('stay in the browser where the host saves nothing, and those of the host stay as they are', async () => {
    await notes.put('a', note('a'));
    ctx.saved.writable.value = false;
    await notes.put('b', note('b', { step: 8 }));
    expect([texts(notes), notes.isOwn(note('a')), notes.isOwn(note('b'))]).toEqual([['a', 'b'], false, true]);
    expect(texts(new Notes(ctx))).toEqual(['b']);
    expect((await ctx.saved.get<readonly Note[]>('notes'))?.value).toHaveLength(1);
    await notes.put('b', null);
    expect(ctx.memory.get('notes', null)).toEqual([]);
  });

  it('are marks of the charts and runs that they are about', async () => {
    await notes.put('1', note('1', { color: 'red' }));
    await notes.put('2', note('2', { tag: 'loss' }));
    await notes.put('3', note('3', { run: 'a', tag: 'acc' }));
    const open = (): void => undefined;
    expect(notes.marks(['loss'], ['a'], open).map(({ text }) => text)).toEqual(['1', '2']);
    expect(notes.marks(['acc'], ['b'], open).map(({ text }) => text)).toEqual(['1']);
    expect(notes.marks(['acc'], ['a'], open)).toEqual([
      { step: 7, text: '1', color: '#e5484d', open },
      { step: 7, text: '3', run: 'a', open },
    ]);
  });

  it('of others are not trusted', () => {
    const odd = [null, 3, { id: 'x' }, { ...note('a'), step: 'NaN' }, { ...note('b'), color: 'url(//evil)', tag: 3 }];
    expect(readNotes(odd)).toEqual([note('b')]);
    expect(readNotes([{ ...note('b'), color: 'constructor' }])).toEqual([note('b')]);
    expect(readNotes('odd')).toEqual([]);
    expect(readNotes([note('c', { text: 'x'.repeat(9999) })])[0]?.text).toHaveLength(500);
  });
});
