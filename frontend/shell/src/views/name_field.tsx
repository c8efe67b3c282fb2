/** The field for the name that people call a run by. */
import type { Run } from '@insight-host/api';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { usePage } from '../state/page';

const LONGEST_NAME = 256;

/** Enter keeps the name, Escape does not; an empty one gives the run its own name back. */
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
    if (keep && (displayName || run.name) !== run.displayName) page.annotate(run.name, { displayName });
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
