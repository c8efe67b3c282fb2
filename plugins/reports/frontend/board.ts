import { effect, signal } from '@preact/signals';
import { codecs, message, type Page } from '@insight-host/kit';
import { LAST, type Report } from './report';

/** A text that was edited and not saved, and the version of the report that it began with; kept in this browser. */
interface Unsaved {
  readonly text: string;
  readonly version: string;
}

const unsavedKey = (name: string): string => `unsaved/${name}`;

export type ReportParts = ReturnType<typeof reportParts>;

/** Makes the parts of the tab of reports: the list, the open report, and its text while it is edited. */
export function reportParts(page: Page) {
  const { saved, memory } = page.ctx;
  const open = page.setting('open', codecs.name);
  /** The report as the host has it; null while it is asked, or without one. */
  const report = signal<{ readonly name: string; readonly version: string; readonly text: string } | null>(null);
  /** While it is edited. */
  const draft = signal<string | null>(null);
  /** The text that an earlier edit of the open report left unsaved. */
  const unsaved = signal<Unsaved | null>(null);
  const error = signal<string | null>(null);
  const entries = page.follow(saved.entries);

  page.until(
    effect(() => {
      const { value: text } = draft;
      const here = report.peek();
      if (text !== null && here) keep(here.name, text === here.text ? null : { text, version: here.version });
    }),
  );
  function keep(name: string, edited: Unsaved | null): void {
    memory.set(unsavedKey(name), edited);
  }

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
      report.value = found && { name, version: found.version, text: found.value.text };
      if (draft.peek() === null) unsaved.value = found && memory.get<Unsaved | null>(unsavedKey(name), null);
      if (found) memory.set(LAST, name);
      else error.value = page.t('gone', { name });
    });
  page.until(
    open.subscribe((name) => {
      if (name === report.peek()?.name) return;
      report.value = draft.value = unsaved.value = error.value = null;
      if (name !== null) void load(name);
    }),
  );
  page.until(
    entries.subscribe((all) => {
      const { value: here } = report;
      const now = all?.find(({ name }) => name === open.peek());
      if (now && now.version !== here?.version && draft.peek() === null) void load(now.name);
    }),
  );

  return {
    page,
    open,
    report,
    draft,
    unsaved,
    error,
    /** Goes on with what was left unsaved. */
    restore: (): void => {
      const { value: left } = unsaved;
      unsaved.value = null;
      if (left) draft.value = left.text;
    },
    /** Forgets what is edited, or was left unsaved. */
    discard: (): void => {
      const { value: here } = report;
      draft.value = unsaved.value = null;
      if (here) keep(here.name, null);
    },
    entries,
    writable: page.follow(saved.writable),
    /** Saves the text that was edited. Another page may have been faster: then the host refuses. */
    save: (): Promise<void> =>
      attempt(async () => {
        const [here, text] = [report.value, draft.value];
        if (!here || text === null) return;
        const { version } = await saved.set(here.name, { text } satisfies Report, here.version);
        report.value = { ...here, text, version };
        draft.value = null;
        keep(here.name, null);
      }),
    /** Opens a new report, under a name that no other has. */
    create: (): Promise<void> =>
      attempt(async () => {
        const names = new Set((await saved.list()).map(({ name }) => name));
        const wanted = page.t('new.name');
        let name = wanted;
        for (let n = 2; names.has(name); n++) name = `${wanted} ${n}`;
        const text = `# ${name}\n\n${page.t('new.text')}\n`;
        const { version } = await saved.set(name, { text } satisfies Report, null);
        report.value = { name, version, text };
        draft.value = text;
        memory.set(LAST, name);
        open.set(name, 'push');
      }),
    rename: (to: string): Promise<void> =>
      attempt(async () => {
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
      }),
    remove: (): Promise<void> =>
      attempt(async () => {
        const { value: here } = report;
        if (!here) return;
        await saved.remove(here.name, here.version);
        keep(here.name, null);
        open.set(null);
      }),
  };
}
