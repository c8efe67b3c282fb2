/** What can be done with a run: by the page, and by plugins. */
import './later_texts';
import { message, Popover } from '@insight-host/kit';
import type { Run } from '@insight-host/api';
import { pickColor } from '../coloring/start';
import { archive } from '../state/archive';
import { usePage } from '../state/page';

interface Item {
  readonly action: string;
  readonly text: string;
  readonly run: () => void;
}

export function RunMenu({ run, anchor }: { readonly run: Run; readonly anchor: HTMLButtonElement }) {
  const page = usePage();
  const t = page.t.value;
  const { runs } = page;
  const selected = runs.selected.value;
  const isOneOfSeveral = selected.length > 1 && selected.length < runs.all.value.length && selected.includes(run);
  const put = (names: readonly string[], archived: boolean): void => {
    archive(page.session.annotations, names, archived).catch((cause: unknown) => {
      page.toasts.show('error', t('annotation.refused', { run: run.name, reason: message(cause) }));
    });
  };
  const close = (): void => void (page.dialog.value = null);
  const items: readonly Item[] = [
    { action: 'pick-color', text: t('run.color'), run: () => pickColor(page, run.name, anchor) },
    {
      action: 'archive',
      text: t(run.archived ? 'run.unarchive' : 'run.archive'),
      run: () => put([run.name], !run.archived),
    },
    ...(isOneOfSeveral
      ? [
          {
            action: 'archive-selected',
            text: t(run.archived ? 'run.unarchive.selected' : 'run.archive.selected', { count: selected.length }),
            run: () =>
              put(
                selected.map(({ name }) => name),
                !run.archived,
              ),
          },
        ]
      : []),
    ...(page.contributions.value?.runActionsOf(run.name) ?? []),
  ];
  return (
    <div class="kit">
      <Popover
        anchor={{ current: anchor }}
        class="menu"
        role="menu"
        label={run.displayName}
        side="below-right"
        onClose={close}
      >
        {items.map(({ action, text, run: act }) => (
          <button
            key={action}
            type="button"
            role="menuitem"
            tabIndex={-1}
            data-action={action}
            onClick={() => {
              close();
              act();
            }}
          >
            {text}
          </button>
        ))}
      </Popover>
    </div>
  );
}
