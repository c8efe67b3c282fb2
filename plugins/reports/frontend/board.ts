import { signal } from '@preact/signals';
import { codecs, message, type Page } from '@insight-host/kit';
import { LAST, type Report } from './report';

export type ReportParts = ReturnType<typeof reportParts>;

/** What the tab of reports is made of: the list, the report that is open, and its text while it is edited. */
export function reportParts(page: Page) {
  const { saved, memory } = page.ctx;
  const open = page.setting('open', codecs.name);
  /** As the host has it; null while it is asked, or if there is none. */
  const report = signal<{ readonly name: string; readonly version: string; readonly text: string } | null>(null);
  /** While it is edited. */
  const draft = signal<string | null>(null);
  const error = signal<string | null>(null);
  const entries = page.follow(saved.entries);

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
      if (found) memory.set(LAST, name);
      else error.value = page.t('gone', { name });
    });
  page.until(
    open.subscribe((name) => {
      if (name === report.peek()?.name) return;
      report.value = draft.value = error.value = null;
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
    error,
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
        memory.set(LAST, to);
        open.set(to);
      }),
    remove: (): Promise<void> =>
      attempt(async () => {
        const { value: here } = report;
        if (!here) return;
        await saved.remove(here.name, here.version);
        open.set(null);
      }),
  };
}
