/** What can be done with a run: by the page, and by plugins. */
import { type MenuItem, message, Popover } from '@insight-host/kit';
import { menuItems } from '@insight-host/kit/lab';
import type { Run } from '@insight-host/api';
import { archive } from '../state/archive';
import { usePage } from '../state/page';
import { Authors } from './authors';
import { words } from './words';

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
  const items: readonly MenuItem[] = [
    { action: 'only', text: words(page, 'run.only'), onPress: () => runs.selectOnly(run) },
    ...(page.session.annotations.writable.value
      ? [{ action: 'rename', text: words(page, 'run.rename'), onPress: () => void (page.naming.value = run.name) }]
      : []),
    { action: 'pick-color', text: words(page, 'run.color'), onPress: () => page.pickColor(run.name, anchor) },
    {
      action: 'archive',
      text: words(page, run.archived ? 'run.unarchive' : 'run.archive'),
      onPress: () => put([run.name], !run.archived),
    },
    ...(isOneOfSeveral
      ? [
          {
            action: 'archive-selected',
            text: words(page, run.archived ? 'run.unarchive.selected' : 'run.archive.selected', {
              count: selected.length,
            }),
            onPress: () =>
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
    <div class="kit ih-menu-place">
      <Popover
        anchor={{ current: anchor }}
        class="menu"
        role="menu"
        label={run.displayName}
        side="below-right"
        onClose={close}
      >
        {menuItems(items, close)}
        <Authors run={run.name} />
      </Popover>
    </div>
  );
}
