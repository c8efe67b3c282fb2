/** The parts of the tab of reports: the list, the open report, its text while it is edited, what was deleted. */
import { effect, signal } from '@preact/signals';
import type { HostError } from '@insight-host/api';
import { codecs, message, type Page } from '@insight-host/kit';
import { type Block, blocksOf, DELETED, LAST, type Report, textOf } from './report';

/** A text that was edited and not saved, and the version of the report that it began with; kept in this browser. */
interface Unsaved {
  readonly text: string;
  readonly version: string;
}

/** The report as somebody else has saved it meanwhile; null: it is gone under this name. */
interface Theirs {
  readonly saved: { readonly version: string; readonly text: string } | null;
}

const unsavedKey = (name: string): string => `unsaved/${name}`;
const MOST_KEPT = 200; // texts to go back to
const codeOf = (cause: unknown): string => (cause as Partial<HostError> | null)?.code ?? '';

export type ReportParts = ReturnType<typeof reportParts>;

export function reportParts(page: Page) {
  const { saved, memory, isSnapshot } = page.ctx;
  const open = page.setting('open', codecs.name);
  /** The report as the host has it; null while it is asked, or without one. */
  const report = signal<{ readonly name: string; readonly version: string; readonly text: string } | null>(null);
  /** What is shown and edited. */
  const blocks = signal<readonly Block[]>([]);
  /** The edited text, until the host has it; null: there is nothing that it does not have. */
  const draft = signal<string | null>(null);
  /** Whether the text is edited as Markdown: then only "Save" saves it. */
  const isSource = signal(false);
  /** The number of the block of which the text is edited. */
  const edited = signal<number | null>(null);
  /** The text that an earlier edit of the open report left unsaved. */
  const unsaved = signal<Unsaved | null>(null);
  const theirs = signal<Theirs | null>(null);
  const error = signal<string | null>(null);
  const before = signal<readonly string[]>([]);
  const after = signal<readonly string[]>([]);
  const entries = page.follow(saved.entries);
  const writable = page.follow(saved.writable);

  page.until(
    effect(() => {
      const { value: text } = draft;
      const here = report.peek();
      if (text !== null && here) keep(here.name, text === here.text ? null : { text, version: here.version });
    }),
  );
  function keep(name: string, left: Unsaved | null): void {
    memory.set(unsavedKey(name), left);
  }
  function show(text: string): void {
    blocks.value = blocksOf(text, blocks.peek());
  }
  function reset(): void {
    report.value = draft.value = unsaved.value = theirs.value = error.value = edited.value = null;
    before.value = after.value = blocks.value = [];
    isSource.value = false;
  }
  const has = (name: string): boolean => !!entries.peek()?.some((entry) => entry.name === name);
  const freeName = (wanted: string): string => {
    let name = wanted;
    for (let n = 2; has(name); n++) name = `${wanted} (${n})`;
    return name;
  };

  let last = Promise.resolve();
  /** One after the other: a report is renamed before its text is saved under the new name. */
  const attempt = (work: () => Promise<void>): Promise<void> => {
    error.value = null;
    return (last = last.then(work).catch((cause: unknown) => void (error.value = message(cause))));
  };
  const load = (name: string): Promise<void> =>
    attempt(async () => {
      const found = await saved.get<Report>(name);
      if (open.peek() !== name) return;
      const text = found?.value.text ?? '';
      if (found && report.peek()?.name === name && report.peek()?.text !== text) before.value = after.value = [];
      report.value = found && { name, version: found.version, text };
      if (draft.peek() === null) {
        show(text);
        unsaved.value = found && memory.get<Unsaved | null>(unsavedKey(name), null);
      }
      if (found) memory.set(LAST, name);
      else error.value = page.t('gone', { name });
    });
  page.until(
    open.subscribe((name) => {
      if (name === report.peek()?.name) return;
      reset();
      if (name !== null) void load(name);
    }),
  );
  page.until(
    effect(() => {
      const { value: all } = entries;
      const { value: name } = open;
      if (!all || !page.visible.value) return;
      if (name === null) {
        const wanted = memory.get(LAST, '');
        const first =
          all.find((entry) => entry.name === wanted) ?? all.find((entry) => !entry.name.startsWith(DELETED));
        if (first) open.set(first.name);
        return;
      }
      const now = all.find((entry) => entry.name === name);
      if (now && now.version !== report.peek()?.version && draft.peek() === null) void load(name);
    }),
  );

  /** Saves the edited text. Another page may have been faster: then nothing is saved, and the user chooses. */
  const store = async (): Promise<void> => {
    const [here, text] = [report.value, draft.value];
    if (!here || text === null || theirs.peek()) return;
    if (text === here.text) {
      draft.value = null;
      return;
    }
    try {
      const { version } = await saved.set(here.name, { text } satisfies Report, here.version);
      report.value = { ...here, text, version };
    } catch (cause) {
      if (codeOf(cause) !== 'saved_changed') throw cause;
      const found = await saved.get<Report>(here.name);
      theirs.value = { saved: found && { version: found.version, text: found.value.text } };
      return;
    }
    if (draft.peek() !== text) return; // more was edited meanwhile: it is saved next
    draft.value = null;
    keep(here.name, null);
  };
  const save = (): Promise<void> => attempt(store);
  /** Another text of the report, which "Undo" takes back, and which is saved. */
  const change = (text: string): void => {
    const was = textNow();
    if (text === was) {
      show(text);
      if (draft.peek() !== null) put(text); // what was typed is as it was
      return;
    }
    before.value = [...before.peek(), was].slice(-MOST_KEPT);
    after.value = [];
    put(text);
  };
  const put = (text: string): void => {
    show(text);
    draft.value = text;
    void save();
  };
  /** The text before what is being typed. */
  const textNow = (): string => textOf(blocks.peek());
  const step = (from: typeof before, to: typeof before): void => {
    const text = from.peek().at(-1);
    if (text === undefined) return;
    from.value = from.peek().slice(0, -1);
    to.value = [...to.peek(), textNow()];
    put(text);
  };
  const create = (name: string, text: string): Promise<void> =>
    attempt(async () => {
      await saved.list();
      const free = freeName(name);
      const { version } = await saved.set(free, { text } satisfies Report, null);
      reset();
      report.value = { name: free, version, text };
      show(text);
      memory.set(LAST, free);
      open.set(free, 'push');
    });
  /** Gives the entry of a report another name; the new one is there before the old one goes. */
  const renamed = async (to: string): Promise<void> => {
    const { value: here } = report;
    if (!here || !to || to === here.name) return;
    const { version } = await saved.set(to, { text: here.text } satisfies Report, null);
    await saved.remove(here.name, here.version);
    report.value = { ...here, name: to, version };
    keep(here.name, null);
    const { value: text } = draft;
    if (text !== null && text !== here.text) keep(to, { text, version });
    memory.set(LAST, to);
    open.set(to);
  };
  const restore = (name: string, wanted: string): Promise<void> =>
    attempt(async () => {
      const found = await saved.get<Report>(name);
      if (!found) return;
      const to = freeName(wanted);
      await saved.set(to, found.value, null);
      await saved.remove(name, found.version);
      memory.set(LAST, to);
      open.set(to);
    });

  return {
    page,
    open,
    report,
    blocks,
    draft,
    isSource,
    edited,
    unsaved,
    theirs,
    error,
    entries,
    writable,
    before,
    after,
    isSnapshot,
    /** Whether blocks can be edited now. */
    canEdit: (): boolean =>
      writable.value &&
      !isSnapshot &&
      unsaved.value === null &&
      theirs.value === null &&
      report.value?.name.startsWith(DELETED) === false,
    /** Goes on with what was left unsaved. */
    restore: (): void => {
      const { value: left } = unsaved;
      unsaved.value = null;
      if (!left) return;
      isSource.value = true;
      draft.value = left.text;
    },
    /** Forgets what is edited, or was left unsaved. */
    discard: (): void => {
      const { value: here } = report;
      draft.value = unsaved.value = null;
      isSource.value = false;
      if (!here) return;
      keep(here.name, null);
      show(here.text);
    },
    /** Edits the text as Markdown. */
    source: (): void => {
      isSource.value = true;
      draft.value = textNow();
    },
    /** Saves the Markdown, and shows it as blocks again. */
    save: (): Promise<void> =>
      attempt(async () => {
        const text = draft.peek();
        const was = textNow();
        if (text === null) return;
        if (text !== was) before.value = [...before.peek(), was].slice(-MOST_KEPT);
        after.value = [];
        await store();
        show(text);
        isSource.value = false;
      }),
    /** What is typed in a block survives the page; its end saves it. */
    typed: (id: number, text: string): void =>
      void (draft.value = textOf(blocks.peek().map((block) => (block.id === id ? { ...block, text } : block)))),
    /** Other blocks in the place of those that are shown. */
    changeBlocks: (next: readonly Block[]): void => change(textOf(next)),
    undo: (): void => step(before, after),
    redo: (): void => step(after, before),
    retry: save,
    /** After somebody else was faster: `theirs` shows their text, `mine` replaces it, `copy` keeps both. */
    resolve: (how: 'theirs' | 'mine' | 'copy'): void => {
      const [{ value: here }, { value: found }, { value: text }] = [report, theirs, draft];
      if (!here || !found || text === null) return;
      theirs.value = null;
      const { saved: other } = found;
      if (how === 'mine' && other === null) return void create(here.name, text);
      report.value = { ...here, ...other };
      if (how === 'mine') return void save();
      draft.value = null;
      keep(here.name, null);
      before.value = after.value = [];
      show(other?.text ?? '');
      if (how === 'copy') void create(page.t('copy.name', { name: here.name }), text);
      else if (other === null) open.set(null);
    },
    /** Opens a new report, under a name that no other has. */
    create: (): Promise<void> => create(page.t('new.name'), `# ${page.t('new.name')}\n`),
    duplicate: (): Promise<void> =>
      create(page.t('copy.name', { name: report.peek()?.name ?? '' }), draft.peek() ?? report.peek()?.text ?? ''),
    rename: (to: string): Promise<void> => attempt(() => renamed(to)),
    restoreDeleted: (): void => {
      const name = report.peek()?.name ?? '';
      void restore(name, name.slice(DELETED.length));
    },
    /** Deletes the open report: it is kept under another name, and the message has a button that brings it back. */
    remove: (): Promise<void> =>
      attempt(async () => {
        const { value: here } = report;
        if (!here) return;
        keep(here.name, null);
        if (here.name.startsWith(DELETED)) {
          await saved.remove(here.name, here.version);
          return void open.set(null);
        }
        await saved.list();
        const text = draft.peek() ?? here.text;
        const kept = freeName(`${DELETED}${here.name}`);
        // where nothing more can be saved, a report can be deleted all the same; then only the message brings it back
        const isKept = await saved.set(kept, { text } satisfies Report, null).then(
          () => true,
          () => false,
        );
        await saved.remove(here.name, here.version);
        memory.set(LAST, '');
        open.set(null);
        page.ctx.notify('info', page.t('removed', { name: here.name }), {
          text: page.t('undo'),
          run: () => void (isKept ? restore(kept, here.name) : create(here.name, text)),
        });
      }),
  };
}
