/** The list of shortcuts: the page's, and those of the plugin in front. */
import { Dialog } from '@insight-host/kit';
import { keyLabel, type Shortcut } from '../plugin/shortcuts';
import { usePage } from '../state/page';
import { words } from './words';

export function KeyboardHelp() {
  const page = usePage();
  const t = page.t.value;
  const front = page.front.value;
  const all = page.shortcuts.list.value;
  const own = all.filter((shortcut) => front && shortcut.owner === front.name);
  return (
    <Dialog
      name="keyboard"
      title={words(page, 'keyboard.title')}
      close={t('close')}
      onClose={() => (page.dialog.value = null)}
    >
      <div class="ih-keyboard-columns">
        <Group title={words(page, 'keyboard.page')} shortcuts={all.filter((shortcut) => shortcut.owner === '')} />
        {front && own.length > 0 && <Group title={page.tabTitle(front)} shortcuts={own} />}
      </div>
    </Dialog>
  );
}

function Group({ title, shortcuts }: { title: string; shortcuts: readonly Shortcut[] }) {
  return (
    <section>
      <h3>{title}</h3>
      <dl class="ih-keys">
        {shortcuts.map((shortcut) => (
          <div key={shortcut.key}>
            <dt>
              <kbd>{keyLabel(shortcut.key)}</kbd>
            </dt>
            <dd>{shortcut.description()}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
