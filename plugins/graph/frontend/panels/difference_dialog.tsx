/** What differs between the graph that is shown and another one. */
import { Button, Dialog, Select } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Difference, DifferenceEntry, DifferenceKind, GraphInfo } from '../answers';
import type { GraphParts } from '../board';
import { sameRecord } from '../source';
import { KindMark, storedRows } from '../texts';
import { Awaited, useCompared } from './compared';

const KINDS = ['added', 'removed', 'changed', 'moved'] as const satisfies readonly DifferenceKind[];
const PART = 200; // entries

export function DifferenceDialog({ board }: { readonly board: GraphParts }): JSX.Element {
  const { t: say } = board.page;
  const shown = board.records.graph.value;
  const others = board.records.graphs.value.filter((graph) => !sameRecord(graph, shown));
  const other =
    others.find((graph) => sameRecord(graph, board.records.compared.value)) ??
    others.find((graph) => graph.name === shown?.name && graph.kind === shown.kind) ??
    others.find((graph) => graph.format === shown?.format) ??
    others[0] ??
    null;
  return (
    <Dialog name="difference" title={say('diff.title')} onClose={() => void (board.dialog.value = null)}>
      {other && shown ? (
        <>
          <div class="diff-choice">
            <Select
              name="compared"
              label={say('diff.other')}
              value={others.indexOf(other)}
              options={others.map((graph, value) => ({ value, text: nameOf(board, graph), title: graph.tag }))}
              onPick={(picked) => board.records.compared.set(others[picked] ?? null)}
            />
            <span aria-hidden="true">→</span>
            <span class="name">{nameOf(board, shown)}</span>
          </div>
          <Differences key={`${other.run}\n${other.tag}\n${other.index}`} board={board} before={other} after={shown} />
        </>
      ) : (
        <p class="hint">{say('diff.alone')}</p>
      )}
    </Dialog>
  );
}

const nameOf = (board: GraphParts, graph: GraphInfo): string => `${board.page.nameOf(graph.run)} · ${graph.name}`;

interface DifferencesProps {
  readonly board: GraphParts;
  readonly before: GraphInfo;
  readonly after: GraphInfo;
}

function Differences({ board, before, after }: DifferencesProps): JSX.Element {
  const { t: say } = board.page;
  const kind = useSignal<DifferenceKind | ''>('');
  const what = useSignal('');
  const limit = useSignal(PART);
  const { value: found, error } = useCompared<Difference>(board, 'diff', before, after, {
    kind: kind.value ? [kind.value] : [],
    what: what.value,
    limit: Math.min(limit.value, 1000),
  });
  if (error || !found) return <Awaited error={error} />;
  const number = (value: number): string => value.toLocaleString(board.page.locale.value);
  const differing = KINDS.reduce((sum, one) => sum + found.counts[one], 0);
  return (
    <div class="removed" data-testid="difference">
      <ul class="diff-counts">
        {KINDS.map((one) => (
          <li key={one}>
            <button
              type="button"
              class="tool text"
              data-kind={one}
              aria-pressed={kind.value === one}
              disabled={found.counts[one] === 0}
              onClick={() => {
                kind.value = kind.value === one ? '' : one;
                what.value = '';
              }}
            >
              <b>{number(found.counts[one])}</b> {say(`diff.${one}`)}
            </button>
          </li>
        ))}
        <li class="hint">
          {number(found.counts.same)} {say('diff.same')}
        </li>
      </ul>
      <Stored board={board} found={found} />
      {differing === 0 && <p class="hint">{say('diff.none')}</p>}
      {Object.keys(found.changes).length > 1 && (
        <Select
          name="what"
          label={say('diff.what')}
          value={what.value}
          options={[
            { value: '', text: say('diff.what.all') },
            ...Object.entries(found.changes).map(([value, count]) => ({
              value,
              text: `${say(`diff.what.${value}`)} (${number(count)})`,
            })),
          ]}
          onPick={(picked) => (what.value = picked)}
        />
      )}
      {found.entries.length > 0 && (
        <table class="diff" data-testid="differences">
          <thead>
            <tr>
              <th scope="col">{say('table.name')}</th>
              <th scope="col">{say('diff.before')}</th>
              <th scope="col">{say('diff.after')}</th>
            </tr>
          </thead>
          <tbody>
            {found.entries.map((entry) => (
              <Entry key={`${entry.kind}\n${entry.id ?? entry.other_id}`} board={board} entry={entry} />
            ))}
          </tbody>
        </table>
      )}
      {found.entries.length < found.total && (
        <p class="count">
          {say('node.some', { shown: found.entries.length, count: found.total })}
          {limit.value < 1000 && (
            <Button
              action="more"
              text={say('list.more')}
              label={say('list.more')}
              onPress={() => (limit.value = 1000)}
            />
          )}
        </p>
      )}
      {found.attributes_compared < found.counts.same + found.counts.changed + found.counts.moved && (
        <p class="hint">{say('diff.attributes', { count: found.attributes_compared })}</p>
      )}
    </div>
  );
}

/** Numbers of stored values that are not the same. */
function Stored({ board, found }: { readonly board: GraphParts; readonly found: Difference }): JSX.Element | null {
  const of = { layers: board.records.graph.value?.kind === 'layers' };
  const before = storedRows(board.page, found.stored.before, of);
  const after = storedRows(board.page, found.stored.after, of);
  const rows = before
    .map(([role, text], i) => [role, text, after[i]?.[1] ?? ''] as const)
    .filter(([, one, two]) => one !== two);
  if (rows.length === 0) return null;
  return (
    <dl class="facts">
      {rows.map(([role, one, two]) => (
        <div key={role}>
          <dt>{board.page.t(`node.${role}`)}</dt>
          <dd>
            {one || '–'} → {two || '–'}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Entry({ board, entry }: { readonly board: GraphParts; readonly entry: DifferenceEntry }): JSX.Element {
  const { id } = entry;
  const rows = entry.changes.length > 0 ? entry.changes : [null];
  return (
    <>
      {rows.map((change, i) => (
        <tr key={i} class={entry.kind} data-kind={entry.kind}>
          <th scope="row">
            {i === 0 && (
              <div class="diff-node">
                <KindMark kind={entry.node} />
                {id === null ? (
                  <span class="name">{entry.other_id ?? entry.name}</span>
                ) : (
                  <button
                    type="button"
                    class="link"
                    data-id={id}
                    onClick={() => {
                      board.dialog.value = null;
                      void board.explorer.reveal(id);
                    }}
                  >
                    {id}
                  </button>
                )}
                <span class="what">{entry.type}</span>
              </div>
            )}
          </th>
          <td>
            {change && <small>{changeName(board, change)}</small>}
            {cell(entry, change?.before, 'removed', entry.other_id)}
          </td>
          <td>
            {change && <small>&nbsp;</small>}
            {cell(entry, change?.after, 'added', id)}
          </td>
        </tr>
      ))}
    </>
  );
}

/** The name of an attribute or argument, or the number of the input that has no name. */
function changeName({ page }: GraphParts, { what, name }: DifferenceEntry['changes'][number]): string {
  if (what === 'constant' && /^\d+$/.test(name)) return page.t('precision.input', { slot: name });
  return name || page.t(`diff.what.${what}`);
}

/** A value; the path of a node that moved; the name of a node that one graph alone has. */
function cell(entry: DifferenceEntry, value: string | undefined, alone: DifferenceKind, path: string | null): string {
  const text = value ?? (entry.kind === 'moved' ? path : entry.kind === alone ? entry.name : '');
  return text || '–';
}
