/** Who wrote the note and the remark of a run, where a proxy names users to the host. */
import { useEffect, useState } from 'preact/hooks';
import { getJson } from '../data/http';
import { usePage } from '../state/page';
import { words } from './words';

type Author = { readonly by: string; readonly at: number }; // seconds since the epoch

interface Answer {
  readonly written?: Readonly<Record<string, Readonly<Record<string, Author>>>>;
}

const FIELDS = ['note', 'remark'] as const;

/** Lines at the end of the menu of a run; none without known authors. */
export function Authors({ run }: { readonly run: string }) {
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
