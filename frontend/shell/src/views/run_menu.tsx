/** What can be done with a run: by the page, and by plugins. */
import { type MenuItem, message } from '@insight-host/kit';
import type { Run } from '@insight-host/api';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { getJson } from '../data/http';
import { type Annotations, ARCHIVE } from '../state/annotations';
import { remember, told } from '../state/browser';
import { type Page, usePage } from '../state/page';
import { lateTexts } from '../i18n/texts';
import { Menu } from './menus';
import { run_menu as en } from '../locales/en.json';
import { run_menu as zh } from '../locales/zh-CN.json';

const words = lateTexts({ en, 'zh-CN': zh });

export function RunMenu({ run, anchor }: { readonly run: Run; readonly anchor: HTMLButtonElement }) {
  const page = usePage();
  const { runs } = page;
  const selected = runs.selected.value;
  const isOneOfSeveral = selected.length > 1 && selected.length < runs.all.value.length && selected.includes(run);
  const put = (names: readonly string[], archived: boolean): void => {
    archive(page.session.annotations, names, archived).catch((cause: unknown) => {
      page.toasts.show('error', words(page, 'annotation.refused', { run: run.name, reason: message(cause) }));
    });
  };
  const items: readonly MenuItem[] = [
    { action: 'only', text: words(page, 'run.only'), onPress: () => runs.selectOnly(run) },
    ...(page.session.annotations.writable.value
      ? [{ action: 'rename', text: words(page, 'run.rename'), onPress: () => void (page.naming.value = run.name) }]
      : []),
    { action: 'pick-color', text: words(page, 'run.color'), onPress: () => page.pickColor(run.name, anchor) },
    {
      action: 'archive',
      text: words(page, run.archived ? 'run.unarchive' : 'run.archive'),
      onPress: () => put([run.name], !run.archived),
    },
    ...(isOneOfSeveral
      ? [
          {
            action: 'archive-selected',
            text: words(page, run.archived ? 'run.unarchive.selected' : 'run.archive.selected', {
              count: selected.length,
            }),
            onPress: () =>
              put(
                selected.map(({ name }) => name),
                !run.archived,
              ),
          },
        ]
      : []),
    ...(page.contributions.value?.runActionsOf(run.name) ?? []),
  ];
  return (
    <Menu anchor={anchor} label={run.displayName} items={items} side="below-right">
      <Authors run={run.name} />
    </Menu>
  );
}

type Author = { readonly by: string; readonly at: number }; // seconds since the epoch

interface Answer {
  readonly written?: Readonly<Record<string, Readonly<Record<string, Author>>>>;
}

const FIELDS = ['note', 'remark'] as const;

/** Who wrote the note and the remark of a run, where a proxy names users to the host; else no line. */
function Authors({ run }: { readonly run: string }) {
  const page = usePage();
  const [fields, setFields] = useState<Readonly<Record<string, Author>>>({});
  useEffect(() => {
    getJson<Answer>('data/annotations').then(
      ({ written }) => setFields(written?.[run] ?? {}),
      () => {}, // the menu works without them
    );
  }, [run]);
  return FIELDS.map((field) => {
    const author = fields[field];
    if (!author) return null;
    const at = new Date(author.at * 1000).toLocaleString(document.documentElement.lang);
    return (
      <button
        key={field}
        type="button"
        role="menuitem"
        aria-disabled="true"
        tabIndex={-1}
        class="muted"
        data-author={field}
      >
        {words(page, `run.${field}.by`, { by: author.by, at })}
      </button>
    );
  });
}

/**
 * Archives runs, or takes them out of the archive; in this browser while the host saves nothing. If the host refuses,
 * shows its state and rejects with the reason.
 */
export async function archive(annotations: Annotations, runs: readonly string[], archived: boolean): Promise<void> {
  if (!annotations.writable.peek()) {
    const others = annotations.ownArchived.value.filter((run) => !runs.includes(run));
    annotations.ownArchived.value = archived ? [...others, ...runs] : others;
    remember(ARCHIVE, told().logs ?? '', annotations.ownArchived.value);
    return;
  }
  annotations.set(runs, { archived });
  const sent = await Promise.allSettled(runs.map((run) => annotations.send(run, { archived })));
  const refused = sent.find((one) => one.status === 'rejected');
  if (!refused) return;
  await annotations.refresh();
  throw refused.reason;
}

/** Gives a run a name, and says so if the host refuses. */
function call(page: Page, run: string, displayName: string): void {
  page.session.annotations.write(run, { displayName }).catch((cause: unknown) => {
    page.toasts.show('error', words(page, 'annotation.refused', { run, reason: message(cause) }));
  });
}

const LONGEST_NAME = 256;

/**
 * The field for the name that people call a run by. Enter keeps the name, Escape does not; an empty one gives the run
 * its own name back.
 */
export function NameField({ run, onDone }: { readonly run: Run; readonly onDone: () => void }) {
  const page = usePage();
  const field = useRef<HTMLInputElement>(null);
  const done = useRef(false);
  useLayoutEffect(() => field.current?.select(), []); // before the next key
  const end = (keep: boolean): void => {
    if (done.current || !field.current) return;
    done.current = true;
    page.naming.value = null;
    onDone();
    const text = field.current.value.trim();
    const displayName = text === run.name ? '' : text;
    if (keep && (displayName || run.name) !== run.displayName) call(page, run.name, displayName);
  };
  return (
    <input
      ref={field}
      class="ih-input ih-run-field"
      type="text"
      maxLength={LONGEST_NAME}
      spellcheck={false}
      autocomplete="off"
      placeholder={run.name}
      aria-label={page.t.value('runs.rename')}
      value={run.displayName}
      autofocus
      onClick={(event) => event.stopPropagation()}
      onDblClick={(event) => event.stopPropagation()}
      onBlur={() => end(true)}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === 'Enter' && !event.isComposing) end(true);
        if (event.key === 'Escape') end(false);
      }}
    />
  );
}
