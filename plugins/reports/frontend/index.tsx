import type { Disposer, Plugin, PluginContext } from '@insight-host/api';
import { Button, Empty, Menu, Select, tab, type MenuItem, ToolbarLine } from '@insight-host/kit';
import { addStylesFirst, isPhone } from '@insight-host/kit/lab';
import { markdownStyles } from '@insight-host/kit/markdown';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { Blocks } from './blocks';
import { reportParts, type ReportParts } from './board';
import en from '../insight_reports/locales/en.json';
import zh from '../insight_reports/locales/zh-CN.json';
import { renderOwn } from './own_cards';
import printStyles from './print.css?inline';
import { type Block, blocksOf, DELETED } from './report';
import styles from './reports.css?inline';

const reports: Plugin = tab({
  messages: { en, 'zh-CN': zh },
  styles: markdownStyles + styles,
  board: reportParts,
  view: (board) => <App board={board} />,
  keys: () => [],
});

export default {
  ...reports,
  renderCard: (host: HTMLElement, ctx: PluginContext, card: string): Disposer => renderOwn(host, ctx, card),
} satisfies Plugin;

interface Props {
  readonly board: ReportParts;
}

function App({ board }: Props): JSX.Element {
  const { t: say, visible } = board.page;
  const report = board.report.value;
  const draft = board.draft.value;
  const isSource = board.isSource.value;
  const isInFront = visible.value;
  // a printed report, and the file of a report, are the report alone
  useEffect(() => {
    if (!isInFront) return undefined;
    return addStylesFirst(board.isSnapshot ? printStyles.replace('@media print', '@media all') : printStyles);
  }, [isInFront]);
  const typed = useRef<readonly Block[]>([]);
  const source = useMemo(
    () => (typed.current = isSource ? blocksOf(draft ?? '', typed.current) : []),
    [isSource, draft],
  );
  const isEmpty = board.entries.value?.every(({ name }) => name.startsWith(DELETED)) === true;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'z' || !board.canEdit() || isSource) return;
    if (event.target instanceof Element && event.target.closest('input, textarea')) return;
    event.preventDefault();
    if (event.shiftKey) board.redo();
    else board.undo();
  };
  return (
    <div class="kit reports" data-testid="reports" onKeyDown={onKeyDown}>
      {!board.isSnapshot && <Tools board={board} />}
      {board.error.value && (
        <p class="problem" role="alert">
          {board.error.value}
          {draft !== null && !isSource && (
            <Button action="retry" label={say('retry')} text={say('retry')} onPress={() => void board.retry()} />
          )}
        </p>
      )}
      {report && <Remarks board={board} />}
      {!report && isEmpty && <Nothing board={board} />}
      <div class={isSource ? 'sheet editing' : 'sheet'}>
        {isSource && (
          <textarea
            class="source"
            aria-label={say('source.text')}
            data-control="text"
            spellcheck={false}
            value={draft ?? ''}
            onInput={(event) => (board.draft.value = event.currentTarget.value)}
          />
        )}
        {report && (
          <Blocks
            board={board}
            blocks={isSource ? source : board.blocks.value}
            canEdit={!isSource && board.canEdit()}
          />
        )}
      </div>
      {board.isSnapshot && report && <p class="made">{say('made', { date: madeOn(board) })}</p>}
    </div>
  );
}

/** The day on which a file was made, as its script left it. */
function madeOn({ page }: ReportParts): string {
  const { made } = document.documentElement.dataset; // runtime.js has left it
  const day = new Date(made ?? Date.now());
  return day.toLocaleDateString(page.locale.value === 'en' ? 'en-GB' : page.locale.value, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  });
}

function Nothing({ board }: Props): JSX.Element {
  const { t: say } = board.page;
  return (
    <div class="nothing">
      <svg viewBox="0 0 160 110" aria-hidden="true">
        <rect class="paper" x="30" y="6" width="100" height="98" rx="8" />
        <path class="words" d="M44 24h44M44 84h72M44 92h50" />
        <path class="axes" d="M44 40v32h72" />
        <path class="line" d="M46 46c8 14 14 20 24 20s24 2 44 2" />
        <path class="line other" d="M46 44c12 6 20 12 32 13s22 1 36 2" />
      </svg>
      <Empty title={say('none')} text={say('none.hint')}>
        {board.writable.value ? (
          <button type="button" class="primary" data-action="first" onClick={() => void board.create()}>
            {say('first')}
          </button>
        ) : null}
      </Empty>
    </div>
  );
}

/** What has to be said about the open report: it was deleted, changed by others, or has an edit that was not saved. */
function Remarks({ board }: Props): JSX.Element | null {
  const { t: say } = board.page;
  const report = board.report.value;
  const unsaved = board.unsaved.value;
  const tool = (action: string, run: () => void): JSX.Element => (
    <Button action={action} label={say(action)} text={say(action)} onPress={run} />
  );
  if (report?.name.startsWith(DELETED))
    return (
      <p class="unsaved" role="status" data-testid="deleted">
        <span>{say('deleted')}</span>
        {board.writable.value && tool('restore', () => board.restoreDeleted())}
        {board.writable.value && tool('remove.forever', () => void board.remove())}
      </p>
    );
  if (board.theirs.value)
    return (
      <p class="unsaved" role="alert" data-testid="conflict">
        <span>{say(board.theirs.value.saved ? 'conflict' : 'conflict.gone')}</span>
        {tool('conflict.copy', () => board.resolve('copy'))}
        {tool(board.theirs.value.saved ? 'conflict.mine' : 'conflict.again', () => board.resolve('mine'))}
        {tool(board.theirs.value.saved ? 'conflict.theirs' : 'discard', () => board.resolve('theirs'))}
      </p>
    );
  if (!unsaved || board.draft.value !== null) return null;
  return (
    <p class="unsaved" role="status" data-testid="unsaved">
      <span>{say(unsaved.version === report?.version ? 'unsaved' : 'unsaved.changed')}</span>
      {tool('restore', () => board.restore())}
      {tool('discard', () => board.discard())}
    </p>
  );
}

function Tools({ board }: Props): JSX.Element {
  const { t: say, ctx } = board.page;
  const report = board.report.value;
  const isSource = board.isSource.value;
  const isFixed = !board.writable.value;
  const canEdit = board.canEdit();
  const isNaming = useSignal(false);
  useEffect(() => void (isNaming.value = false), [report?.name]);
  const names = board.entries.value?.map(({ name }) => name) ?? [];
  const titleOf = (name: string): string =>
    name.startsWith(DELETED) ? say('deleted.name', { name: name.slice(DELETED.length) }) : name;
  const shown = [
    ...names.filter((name) => !name.startsWith(DELETED)),
    ...names.filter((name) => name.startsWith(DELETED)),
  ];
  const more = (): readonly MenuItem[] => [
    ...(canEdit
      ? [
          { action: 'rename', text: say('rename'), onPress: () => void (isNaming.value = true) },
          { action: 'duplicate-report', text: say('duplicate'), onPress: () => void board.duplicate() },
        ]
      : []),
    { action: 'print', text: say('print'), onPress: () => print() },
    ...(canEdit ? [{ action: 'remove', text: say('remove'), onPress: () => void board.remove() }] : []),
  ];
  const nameField = (
    <input
      class="filter"
      type="text"
      data-control="name"
      maxLength={180}
      aria-label={say('name')}
      title={say('name')}
      value={report?.name ?? ''}
      autofocus={isNaming.value}
      onChange={(event) => void board.rename(event.currentTarget.value.trim())}
      onBlur={() => (isNaming.value = false)}
      onKeyDown={(event) => {
        if (event.key === 'Enter' || event.key === 'Escape') event.currentTarget.blur();
      }}
    />
  );
  const seldom = report && !isSource && (
    <>
      {canEdit && (
        <span class="state" role="status">
          {say(board.draft.value === null ? 'saved' : 'saving')}
        </span>
      )}
      {!isFixed && (
        <Button
          action="edit"
          label={say('source.hint')}
          text={say('source')}
          disabled={!canEdit}
          onPress={() => void board.source()}
        />
      )}
      <a
        class="tool text"
        data-action="file"
        href={ctx.data.href('snapshot', { report: report.name })}
        download=""
        title={say('file.hint')}
      >
        {say('file')}
      </a>
    </>
  );
  const first = (
    <>
      {report && (isSource || isNaming.value)
        ? nameField
        : names.length > 0 && (
            <Select
              name="report"
              label={say('report')}
              value={board.open.value === null || !names.includes(board.open.value) ? '' : `=${board.open.value}`}
              options={[
                ...(board.open.value === null || !names.includes(board.open.value)
                  ? [{ value: '', text: say('choose') }]
                  : []),
                ...shown.map((name) => ({ value: `=${name}`, text: titleOf(name) })),
              ]}
              onPick={(value) => board.open.set(value ? value.slice(1) : null, 'push')}
            />
          )}
      {!isFixed && !isSource && (
        <Button action="new" label={say('new')} text={say('new')} onPress={() => void board.create()} />
      )}
    </>
  );
  const tools = (
    <>
      {canEdit && (
        <>
          <Button
            action="undo"
            icon="back"
            label={say('undo.hint')}
            disabled={board.before.value.length === 0}
            onPress={() => board.undo()}
          />
          <Button
            action="redo"
            icon={<RedoIcon />}
            label={say('redo.hint')}
            disabled={board.after.value.length === 0}
            onPress={() => board.redo()}
          />
        </>
      )}
      {isPhone.value && seldom}
    </>
  );
  const actions = (
    <>
      {!isPhone.value && seldom}
      {report && !isSource && <Menu action="more" icon="more" label={say('more')} items={more} />}
      {report && isSource && (
        <>
          <Button action="save" label={say('save')} text={say('save')} onPress={() => void board.save()} />
          <Button action="cancel" label={say('cancel')} text={say('cancel')} onPress={() => board.discard()} />
        </>
      )}
      {isFixed && board.entries.value && <span class="count">{say('fixed')}</span>}
    </>
  );
  return <ToolbarLine say={say} first={first} tools={report && !isSource && tools} actions={actions} />;
}

function RedoIcon(): JSX.Element {
  return (
    <svg class="ih-icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d="M10 3.5 13.5 7 10 10.5M13 7H6.5a3.5 3.5 0 0 0 0 7H9" />
    </svg>
  );
}
