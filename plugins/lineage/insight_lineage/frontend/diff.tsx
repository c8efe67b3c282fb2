import { useSignal } from '@preact/signals';
import { copyTable, Dialog } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { LineageParts } from './board';
import { COMPARED, differencesOf, type Difference } from './differences';
import { loadRuns } from './source';
import { useAnswer } from './use_answer';

/** Runs side by side: what differs between them, or everything. */
export function Diff({ board, runs }: { readonly board: LineageParts; readonly runs: readonly string[] }): JSX.Element {
  const { t: say } = board.page;
  const everything = useSignal(false);
  const { value: loaded, error } = useAnswer(JSON.stringify([runs, board.loading.version.value]), () =>
    loadRuns(board.page.ctx, runs, board.loading.listing.peek()?.columns ?? []),
  );
  const all = loaded ? differencesOf(loaded, runs) : [];
  const shown = everything.value ? all : all.filter(({ differs }) => differs);
  const copy = (): void => {
    const head = [say('column.run'), ...runs.map((run) => board.page.nameOf(run))];
    void copyTable(board.page, [
      head,
      ...shown.map(({ column, texts }) => [column.name, ...texts.map((text) => text ?? '')]),
    ]);
  };
  return (
    <Dialog name="diff" title={say('diff.title', { count: runs.length })} onClose={() => (board.dialog.value = null)}>
      <div class="row between">
        <label>
          <input
            type="checkbox"
            data-control="everything"
            checked={everything.value}
            onClick={() => (everything.value = !everything.value)}
          />
          {say('diff.everything')}
        </label>
        <span class="hint" data-testid="diff-count">
          {loaded && say('diff.count', { count: all.filter(({ differs }) => differs).length, all: all.length })}
        </span>
        <button type="button" data-action="copy-diff" onClick={copy}>
          {say('diff.copy')}
        </button>
      </div>
      {error && <p class="problem">{error}</p>}
      <div class="diff" data-testid="diff" tabIndex={0}>
        {loaded && (
          <table>
            <thead>
              <tr>
                <th scope="col">{say('diff.property')}</th>
                {runs.map((run) => (
                  <th key={run} scope="col" data-run={run} title={run}>
                    <span class="dot" style={{ background: board.page.runsByName.value.get(run)?.color }} />
                    {board.page.nameOf(run)}
                  </th>
                ))}
              </tr>
            </thead>
            {COMPARED.map((group) => {
              const own = shown.filter((difference) => difference.group === group);
              if (own.length === 0) return null;
              return (
                <tbody key={group} data-group={group}>
                  <tr class="group-name">
                    <th colSpan={runs.length + 1} scope="colgroup">
                      {say(`group.${group}`)}
                    </th>
                  </tr>
                  {own.map((difference) => (
                    <DifferenceRow key={difference.column.name} board={board} difference={difference} />
                  ))}
                </tbody>
              );
            })}
          </table>
        )}
        {loaded && shown.length === 0 && (
          <p class="hint" data-testid="no-difference">
            {say('diff.none')}
          </p>
        )}
      </div>
    </Dialog>
  );
}

function DifferenceRow({
  board,
  difference: { column, texts, changes, differs },
}: {
  readonly board: LineageParts;
  readonly difference: Difference;
}): JSX.Element {
  const title =
    column.group === 'annotation'
      ? board.page.t(`column.${column.name}`)
      : column.group === 'scalar'
        ? column.name
        : column.title;
  return (
    <tr data-column={column.name} class={differs ? 'differs' : undefined}>
      <th scope="row" title={column.name}>
        {title}
      </th>
      {texts.map((text, at) => {
        const change = changes[at] ?? null;
        return (
          <td
            key={at}
            class={[column.isNumeric && 'number', text === null && 'missing', at > 0 && text !== texts[0] && 'other']
              .filter(Boolean)
              .join(' ')}
          >
            {text ?? '—'}
            {change !== null && <span class="change">{`${change > 0 ? '+' : '−'}${percent(Math.abs(change))}`}</span>}
          </td>
        );
      })}
    </tr>
  );
}

function percent(share: number): string {
  const value = share * 100;
  return `${value >= 1000 ? value.toExponential(1) : Number(value.toPrecision(3))} %`;
}
