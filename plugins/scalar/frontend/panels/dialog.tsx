import { Dialog, Select } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { DialogEnd, type CardDialogProps } from '../dialogs/parts';
import { kindsOf } from './kinds';
import { isPanelKey, panelOf, type Draft } from './panels';

/** Adds a panel, with the tag of the card that opened it, or changes the panel that did. */
export function PanelDialog({ board, tag, onClose }: CardDialogProps): JSX.Element {
  const { t: say } = board.page;
  const before = isPanelKey(tag) ? board.panels.of(tag) : undefined;
  const draft = useSignal<Draft>(
    (before && panelOf(before)) ?? { kind: 'lines', ...(tag && !before ? { tags: [tag], y: `last/${tag}` } : {}) },
  );
  const isLacking = useSignal(false);
  const kinds = kindsOf(board);
  const { value: now } = draft;
  const kind = kinds.find((one) => one.kind === now.kind);
  const change = (more: Partial<Draft>): void => {
    isLacking.value = false;
    draft.value = { ...now, ...more };
  };
  const apply = (): void => {
    if (!kind?.isWhole(now)) return void (isLacking.value = true);
    const used = ['kind', 'title', 'width', 'height', ...kind.uses];
    const made = panelOf(Object.fromEntries(Object.entries(now).filter(([name]) => used.includes(name))));
    if (made && before) board.panels.change(before.id, made);
    else if (made && !board.panels.add(made)) return; // the view is full: what was typed stays
    onClose();
  };
  return (
    <Dialog
      name="panel"
      title={say(before ? 'panel.change' : 'panel.add')}
      onClose={onClose}
      onSubmit={apply}
      foot={<DialogEnd page={board.page} verb={say(before ? 'panel.save' : 'panel.add')} onClose={onClose} />}
    >
      <div class="row">
        <Select
          name="panel-kind"
          label={say('panel.kind')}
          value={now.kind}
          options={kinds.map((one) => ({ value: one.kind, text: one.title }))}
          onPick={(value) => change({ kind: value })}
        />
        <input
          name="title"
          autocomplete="off"
          aria-label={say('panel.title')}
          placeholder={say('panel.title')}
          value={now.title ?? ''}
          onInput={(e) => change({ title: e.currentTarget.value })}
        />
      </div>
      {kind?.Fields && <kind.Fields key={now.kind} board={board} draft={now} change={change} />}
      <p class="problem" role="alert">
        {isLacking.value ? say('panel.lacking') : '\u00a0'}
      </p>
    </Dialog>
  );
}
