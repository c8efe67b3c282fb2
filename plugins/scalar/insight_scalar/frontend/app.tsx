import type { JSX } from 'preact';
import { PINNED, type Board } from './board';
import { Card } from './card';
import type { TagGroup } from './groups';
import { Icon } from './icons';
import { PairDialog } from './pair_dialog';
import { Table } from './table';
import { ThresholdDialog } from './threshold_dialog';
import { Toolbar } from './toolbar';

export function App({ board }: { readonly board: Board }): JSX.Element {
  return (
    <div class={`scalars ${board.theme.value.mode}`} data-testid="scalars">
      <Toolbar board={board} />
      <Content board={board} />
      <Dialogs board={board} />
    </div>
  );
}

function Content({ board }: { readonly board: Board }): JSX.Element {
  const say = board.t.bind(board);
  if (board.failure.value && !board.table.value) {
    return (
      <Empty title={say('failure')} text={board.failure.value}>
        <button type="button" data-action="retry" onClick={() => void board.loadTags()}>{say('retry')}</button>
      </Empty>
    );
  }
  if (!board.table.value) return <div class="cards" aria-busy="true">{[1, 2, 3].map((n) => <section key={n} class="card" />)}</div>;
  if (board.allRuns.value.length === 0) return <Empty title={say('empty.no_runs')} text={say('empty.no_runs.text')} />;
  if (board.runs.value.length === 0) return <Empty title={say('empty.none_selected')} text={say('empty.none_selected.text')} />;
  if (board.runsByTag.value.size === 0) return <Empty title={say('empty.no_scalars')} text={say('empty.no_scalars.text')} />;
  if (board.groups.value.length === 0) {
    return (
      <Empty title={say('empty.no_match')} text={board.match.value.error ?? board.filter.value}>
        <button type="button" data-action="clear-filter" onClick={() => board.filter.set('')}>{say('filter.clear')}</button>
      </Empty>
    );
  }
  if (board.layout.value === 'table') return <Table board={board} />;
  return <div class="groups">{board.groups.value.map((group) => <Group key={group.name} board={board} group={group} />)}</div>;
}

function Dialogs({ board }: { readonly board: Board }): JSX.Element | null {
  const open = board.dialog.value;
  if (!open) return null;
  const close = (): void => void (board.dialog.value = null);
  const Which = open.kind === 'threshold' ? ThresholdDialog : PairDialog;
  return <Which key={`${open.kind} ${open.tag}`} board={board} tag={open.tag} onClose={close} />;
}

function Group({ board, group }: { readonly board: Board; readonly group: TagGroup }): JSX.Element {
  const closed = board.closed.value.includes(group.name);
  const only = board.groups.value.length === 1;
  const title = group.name === PINNED ? board.t('group.pinned') : group.name || board.t(only ? 'group.all' : 'group.plain');
  return (
    <section class={group.tags.length === 1 && group.name !== PINNED ? 'group single' : 'group'} data-group={group.name === PINNED ? 'pinned' : group.name} aria-label={title}>
      <h2>
        <button type="button" aria-expanded={!closed} onClick={() => board.toggle(board.closed, group.name)}>
          <Icon name={closed ? 'closed' : 'open'} />
          {title}
          <span class="count">{group.tags.length}</span>
        </button>
      </h2>
      {!closed && <div class="cards">{group.tags.map((tag) => <Card key={tag} board={board} tag={tag} />)}</div>}
    </section>
  );
}

interface EmptyProps {
  readonly title: string;
  readonly text: string;
  readonly children?: JSX.Element;
}

function Empty({ title, text, children }: EmptyProps): JSX.Element {
  return (
    <div class="empty" data-testid="empty">
      <h2>{title}</h2>
      <p>{text}</p>
      {children}
    </div>
  );
}
