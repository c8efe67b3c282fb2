import type { CardSpec } from '@insight-host/api';
import { Button, Empty, Icon, message, Select, tab } from '@insight-host/kit';
import { markdownStyles, rendered } from '@insight-host/kit/markdown';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { reportParts, type ReportParts } from './board';
import en from '../insight_reports/locales/en.json';
import zh from '../insight_reports/locales/zh-CN.json';
import printStyles from './print.css?inline';
import { partsOf } from './report';
import styles from './reports.css?inline';

export default tab({
  messages: { en, 'zh-CN': zh },
  styles: markdownStyles + styles,
  board: reportParts,
  view: (board) => <App board={board} />,
  keys: () => [],
});

const printing = new CSSStyleSheet();
printing.replaceSync(printStyles);

interface Props {
  readonly board: ReportParts;
}

function App({ board }: Props): JSX.Element {
  const { t: say } = board.page;
  const report = board.report.value;
  const draft = board.draft.value;
  const isInFront = board.page.visible.value;
  useEffect(() => {
    if (!isInFront) return undefined;
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, printing];
    return () => void (document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== printing));
  }, [isInFront]);
  return (
    <div class="kit reports" data-testid="reports">
      <Tools board={board} />
      {board.error.value && (
        <p class="problem" role="alert">
          {board.error.value}
        </p>
      )}
      {report && draft === null && board.unsaved.value && <Unsaved board={board} version={report.version} />}
      {!report && board.open.value === null && board.entries.value && (
        <Empty title={say(board.entries.value.length > 0 ? 'none.open' : 'none')} text={say('none.hint')} />
      )}
      <div class={draft === null ? 'sheet' : 'sheet editing'}>
        {draft !== null && (
          <textarea
            aria-label={say('text')}
            data-control="text"
            spellcheck={false}
            value={draft}
            onInput={(event) => (board.draft.value = event.currentTarget.value)}
          />
        )}
        {report && <Body board={board} text={draft ?? report.text} />}
      </div>
    </div>
  );
}

/** Offers what an earlier edit of this report left. */
function Unsaved({ board, version }: Props & { readonly version: string }): JSX.Element {
  const { t: say } = board.page;
  const isCurrent = board.unsaved.value?.version === version;
  return (
    <p class="unsaved" role="status" data-testid="unsaved">
      <span>{say(isCurrent ? 'unsaved' : 'unsaved.changed')}</span>
      <Button action="restore" label={say('restore')} text={say('restore')} onPress={() => board.restore()} />
      <Button action="discard" label={say('discard')} text={say('discard')} onPress={() => board.discard()} />
    </p>
  );
}

function Tools({ board }: Props): JSX.Element {
  const { t: say } = board.page;
  const report = board.report.value;
  const isEdited = board.draft.value !== null;
  const isFixed = !board.writable.value;
  const sure = useSignal(false);
  useEffect(() => void (sure.value = false), [report?.name]);
  const names = board.entries.value?.map(({ name }) => name) ?? [];
  return (
    <div class="toolbar" role="toolbar" aria-label={say('toolbar')}>
      <Select
        name="report"
        label={say('report')}
        value={board.open.value === null ? '' : `=${board.open.value}`}
        options={[{ value: '', text: say('choose') }, ...names.map((name) => ({ value: `=${name}`, text: name }))]}
        onPick={(value) => board.open.set(value ? value.slice(1) : null, 'push')}
      />
      <Button
        action="new"
        label={say('new')}
        text={say('new')}
        disabled={isFixed}
        onPress={() => void board.create()}
      />
      {report && !isEdited && (
        <>
          <Button
            action="edit"
            icon="pencil"
            label={say('edit')}
            disabled={isFixed || board.unsaved.value !== null}
            onPress={() => void (board.draft.value = report.text)}
          />
          <Button action="print" label={say('print')} text={say('print')} onPress={() => print()} />
          <a
            class="tool"
            data-action="file"
            href={board.page.ctx.data.href('snapshot', { report: report.name })}
            download=""
            title={say('file.hint')}
          >
            {say('file')}
          </a>
          <Button
            action="remove"
            icon={sure.value ? 'warn' : 'close'}
            label={say(sure.value ? 'remove.sure' : 'remove')}
            disabled={isFixed}
            onPress={() => (sure.value ? void board.remove() : void (sure.value = true))}
          />
        </>
      )}
      {report && isEdited && (
        <>
          <input
            class="filter"
            type="text"
            data-control="name"
            maxLength={200}
            aria-label={say('name')}
            title={say('name')}
            value={report.name}
            onChange={(event) => void board.rename(event.currentTarget.value.trim())}
          />
          <Button action="save" label={say('save')} text={say('save')} onPress={() => void board.save()} />
          <Button action="cancel" label={say('cancel')} text={say('cancel')} onPress={() => board.discard()} />
        </>
      )}
      {isFixed && board.entries.value && <span class="count">{say('fixed')}</span>}
    </div>
  );
}

function Body({ board, text }: Props & { readonly text: string }): JSX.Element {
  const parts = useMemo(() => partsOf(text), [text]);
  return (
    <article class="report" data-testid="report">
      {parts.map((part, place) =>
        part.kind === 'card' ? (
          <LiveCard key={`${place} ${JSON.stringify(part.card)}`} board={board} card={part.card} />
        ) : part.kind === 'damaged' ? (
          <p key={place} class="problem">
            {board.page.t('damaged')}
          </p>
        ) : (
          <Text key={place} text={part.text} />
        ),
      )}
    </article>
  );
}

function Text({ text }: { readonly text: string }): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => host.current?.replaceChildren(rendered(text)), [text]);
  return <div class="markdown" ref={host} />;
}

function LiveCard({ board, card }: Props & { readonly card: CardSpec }): JSX.Element {
  const { t: say, ctx } = board.page;
  const host = useRef<HTMLDivElement>(null);
  const failure = useSignal<string | null>(null);
  useEffect(
    () =>
      host.current ? ctx.showCard(card, host.current, (cause) => void (failure.value = message(cause))) : undefined,
    [],
  );
  const open = (): void => {
    const own = Object.entries(card.state).filter(([key]) => key.startsWith(`${card.plugin}.`));
    ctx.open(card.plugin, Object.fromEntries(own.map(([key, value]) => [key.slice(card.plugin.length + 1), value])));
  };
  return (
    <figure class="live-card" data-testid="live-card" data-card={card.card}>
      <div class="place" ref={host} hidden={failure.value !== null} />
      {failure.value !== null && (
        <div class="error-cell" role="alert">
          <Icon name="warn" />
          <strong>{say('card.failed', { card: card.card })}</strong>
          <span class="reason">{failure.value}</span>
        </div>
      )}
      <figcaption>
        <button type="button" class="tool" data-action="open-tab" onClick={open}>
          {say('card.open')}
        </button>
      </figcaption>
    </figure>
  );
}
