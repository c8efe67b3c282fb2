import { Dialog, message, Select } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { LONGEST_NOTE, newId, NOTE_COLORS, notesOf, type Note } from '../notes';
import type { CardDialogProps } from './parts';

/** Writes, edits and takes away notes: marks at a step, of a chart and a run or of all. */
export function NotesDialog({ board, tag, onClose }: CardDialogProps): JSX.Element {
  const { t: say, ctx } = board.page;
  const notes = notesOf(ctx);
  const fresh = (): Note => {
    const step = ctx.cursor.value?.step;
    return { id: newId(), step: step ?? NaN, text: '', color: '', tag, run: null };
  };
  const edited = useSignal(fresh());
  const typed = useSignal(''); // a step that is not a number yet, as "-"
  const removed = useSignal<Note | null>(null);
  const problem = useSignal('');
  useEffect(() => notes.follow(), []);
  const isNew = !notes.all.value.some(({ id }) => id === edited.value.id);
  const set = (change: Partial<Note>): void => void (edited.value = { ...edited.value, ...change });
  const save = async (id: string, note: Note | null): Promise<boolean> => {
    problem.value = '';
    try {
      await notes.put(id, note);
      return true;
    } catch (cause) {
      problem.value = message(cause);
      return false;
    }
  };
  const submit = async (): Promise<void> => {
    const note = { ...edited.value, text: edited.value.text.trim() };
    if (!Number.isSafeInteger(note.step)) problem.value = say('notes.step.wrong');
    else if (note.text === '') problem.value = say('notes.text.missing');
    else if (await save(note.id, note)) {
      edited.value = fresh();
      removed.value = null;
    }
  };
  const remove = async (note: Note): Promise<void> => {
    if (!(await save(note.id, null))) return;
    removed.value = note;
    if (edited.value.id === note.id) edited.value = fresh();
  };
  const { step, text, color, run } = edited.value;
  const about = edited.value.tag;
  const tagName = (name: string | null): string => (name === null ? say('notes.all.charts') : board.page.titleOf(name));
  const runName = (name: string | null): string => (name === null ? say('notes.all.runs') : board.page.nameOf(name));
  const tags = [...new Set([tag, about])].filter((one) => one !== null && one !== '');
  const runs = [...new Set([...board.tags.runNames(about ?? tag), ...(run === null ? [] : [run])])];
  return (
    <Dialog
      name="notes"
      title={say('notes.title')}
      onClose={onClose}
      onSubmit={() => void submit()}
      foot={
        <>
          {!isNew && (
            <button type="button" data-action="note-new" onClick={() => (edited.value = fresh())}>
              {say('notes.new')}
            </button>
          )}
          <button type="submit" class="primary" data-action="note-save">
            {say(isNew ? 'notes.add' : 'notes.save')}
          </button>
        </>
      }
    >
      <p class="hint">{say(notes.shares.value ? 'notes.hint' : 'notes.hint.browser')}</p>
      <div class="row">
        <input
          name="note-step"
          inputMode="numeric"
          autocomplete="off"
          size={8}
          aria-label={say('notes.step')}
          placeholder={say('notes.step')}
          value={Object.is(stepOf(typed.value), step) ? typed.value : Number.isNaN(step) ? '' : step}
          onInput={({ currentTarget: { value } }) => {
            typed.value = value;
            set({ step: stepOf(value) });
          }}
        />
        <input
          name="note-text"
          autocomplete="off"
          autofocus
          maxLength={LONGEST_NOTE}
          aria-label={say('notes.text')}
          placeholder={say('notes.text')}
          value={text}
          onInput={(event) => set({ text: event.currentTarget.value })}
        />
      </div>
      <div class="row">
        <Select
          name="note-color"
          label={say('notes.color')}
          value={color}
          options={['', ...Object.keys(NOTE_COLORS)].map((value) => ({
            value,
            text: say(`notes.color.${value || 'none'}`),
          }))}
          onPick={(value) => set({ color: value })}
        />
        <Select
          name="note-tag"
          label={say('notes.chart')}
          value={about === null ? '' : `=${about}`}
          options={[null, ...tags].map((value) => ({
            value: value === null ? '' : `=${value}`,
            text: tagName(value),
          }))}
          onPick={(value) => set({ tag: value === '' ? null : value.slice(1) })}
        />
        <Select
          name="note-run"
          label={say('notes.run')}
          value={run === null ? '' : `=${run}`}
          options={[null, ...runs].map((value) => ({
            value: value === null ? '' : `=${value}`,
            text: runName(value),
          }))}
          onPick={(value) => set({ run: value === '' ? null : value.slice(1) })}
        />
      </div>
      <p class="problem" role="alert">
        {problem.value || '\u00a0'}
      </p>
      {removed.value && (
        <p class="hint" role="status">
          {say('notes.removed', { text: removed.value.text })}{' '}
          <button
            type="button"
            data-action="note-undo"
            onClick={() => {
              const note = removed.value;
              if (note) void save(note.id, note).then((isThere) => isThere && (removed.value = null));
            }}
          >
            {say('notes.undo')}
          </button>
        </p>
      )}
      <ul class="notes" aria-label={say('notes.title')}>
        {notes.all.value.map((note) => (
          <li key={note.id} style={{ borderInlineStartColor: NOTE_COLORS[note.color] ?? 'var(--muted)' }}>
            <span class="text">{note.text}</span>
            <span class="hint">
              {say('notes.place', {
                step: note.step.toLocaleString(board.page.locale.value),
                chart: tagName(note.tag),
                run: runName(note.run),
              })}
            </span>
            {notes.isOwn(note) && (
              <span class="row">
                <button
                  type="button"
                  data-action="note-edit"
                  aria-label={say('notes.edit', { text: note.text })}
                  onClick={() => (edited.value = note)}
                >
                  {say('notes.edit.short')}
                </button>
                <button
                  type="button"
                  data-action="note-remove"
                  aria-label={say('notes.remove', { text: note.text })}
                  onClick={() => void remove(note)}
                >
                  {say('notes.remove.short')}
                </button>
              </span>
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

/** NaN for what is not a number. */
const stepOf = (text: string): number => (text.trim() === '' ? NaN : Number(text.trim().replace('−', '-')));
