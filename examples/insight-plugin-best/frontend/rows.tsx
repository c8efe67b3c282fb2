import { message, Page, valueText } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { lowestOf, openImages, type Lowest } from './lowest';

/** The lowest loss of each selected run; a press leads to the images of its step. */
export function Rows({ page }: { readonly page: Page }): JSX.Element {
  const found = useSignal<readonly Lowest[]>([]);
  const failure = useSignal('');
  useEffect(
    () =>
      page.ctx.generation.subscribe(() => {
        lowestOf(page.ctx, ['loss'], page.ctx.signal).then(
          (rows) => (found.value = rows),
          (cause: unknown) => (failure.value = page.ctx.signal.aborted ? '' : message(cause)),
        );
      }),
    [],
  );
  const selected = new Set(page.runs.value.map((run) => run.name));
  const rows = found.value.filter(({ run }) => selected.has(run)).sort((a, b) => a.value - b.value);
  if (failure.value) return <p role="alert">{failure.value}</p>;
  return (
    <ul class="best-rows">
      {rows.map(({ run, step, value }) => (
        <li key={run} style={{ borderLeft: `4px solid ${page.colorOf(run)}` }}>
          {page.nameOf(run)}: {valueText(value)}{' '}
          <button type="button" class="ih-button ih-small" onClick={() => openImages(page.ctx, step)}>
            {page.t('step', { step })}
          </button>
        </li>
      ))}
    </ul>
  );
}
