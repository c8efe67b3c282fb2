import { Empty } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { ProfilerParts } from '../board';
import type { Asked } from '../use_answer';

interface StateProps<T> {
  readonly board: ProfilerParts;
  readonly asked: Asked<T>;
  readonly children: (value: T) => JSX.Element;
}

/** What a question brought, or why it brought nothing; the last answer stays in sight with the reason above it. */
export function Answered<T>({ board, asked, children }: StateProps<T>): JSX.Element {
  const { value, error, waits, busy, retry } = asked;
  const again = (
    <button type="button" data-action="retry" onClick={retry}>
      {board.page.t('retry')}
    </button>
  );
  if (value === null)
    return error === null || waits ? (
      <div class="waiting" aria-busy={busy || waits}>
        {error !== null && (
          <p class="hint waits" role="status">
            {error}
          </p>
        )}
      </div>
    ) : (
      <Empty title={board.page.t('failure.view')} text={error}>
        {again}
      </Empty>
    );
  return (
    <>
      {error !== null && (
        <p class="problem" role="status">
          {error} {again}
        </p>
      )}
      {children(value)}
    </>
  );
}
