/** Saved views, in the dialog that shares the page: saves, opens, renames, copies, removes, exports, imports them. */
import { type IconName, message } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { saveFile } from '../plugin/services';
import { type ListedView, LONGEST_NAME, type SavedViews } from './saved_views';
import { IconButton } from '../views/parts';

/** What was done last, and what undoes it. */
interface Done {
  readonly text: string;
  readonly undo?: () => Promise<void>;
}

/** Saves the page as it is shown, and lists what was saved. */
export function ViewList({ views, onClose }: { readonly views: SavedViews; readonly onClose: () => void }) {
  const name = useSignal(views.opened.value?.name ?? '');
  const error = useSignal('');
  const done = useSignal<Done | null>(null);
  const renamed = useSignal<ListedView | null>(null);
  const file = useRef<HTMLInputElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const list = views.list.value;
  const undo = done.value?.undo;
  const wanted = name.value.trim();
  const ofPlugins = views.page.contributions.value?.commands.filter(({ isAboutView }) => isAboutView) ?? [];
  const exists = views.shelf.value.entries.value?.some((entry) => entry.name === wanted) === true;
  useEffect(() => void views.host.refresh().catch((cause: unknown) => (error.value = message(cause))), [views]);

  useEffect(() => queueMicrotask(() => field.current?.focus()), []); // the dialog opens after this

  const attempt = (work: () => Promise<Done | void>): void => {
    error.value = '';
    done.value = null;
    work().then(
      (result) => (done.value = result ?? null),
      (cause: unknown) => (error.value = message(cause)),
    );
  };
  const save = (): void =>
    attempt(async () => {
      await views.save(wanted);
      return { text: views.say('saved', { name: wanted }) };
    });
  const open = (view: ListedView): void =>
    attempt(async () => {
      await views.open(view);
      onClose();
    });
  const remove = (view: ListedView): void =>
    attempt(async () => {
      const undo = await views.remove(view);
      return { text: views.say('removed', { name: view.name }), undo };
    });
  const rename = (view: ListedView, to: string): void => {
    renamed.value = null;
    if (to && to !== view.name) attempt(() => views.rename(view, to));
  };
  const saveAs = (shown: readonly ListedView[], name: string): void =>
    attempt(async () => saveFile(`${name}.json`, await views.exported(shown)));
  const take = (chosen: File | undefined): void =>
    attempt(async () => {
      if (chosen) return { text: views.say('imported', { count: await views.imported(await chosen.text()) }) };
    });

  return (
    <>
      <form
        class="ih-views-save"
        onSubmit={(event) => {
          event.preventDefault();
          if (wanted && list) save();
        }}
      >
        <input
          ref={field}
          class="ih-input"
          type="text"
          data-control="view-name"
          maxLength={LONGEST_NAME}
          placeholder={views.say('name')}
          aria-label={views.say('name')}
          value={name.value}
          onInput={(event) => (name.value = event.currentTarget.value)}
        />
        <button type="submit" class="ih-button" data-action="view-save" disabled={!wanted || !list}>
          {views.say(exists ? 'replace' : 'save')}
        </button>
      </form>
      {list && !views.host.writable.value && <p class="ih-muted">{views.say('browser.hint')}</p>}
      {error.value && (
        <p class="ih-error-message" role="alert">
          {error.value}
        </p>
      )}
      <p class="ih-views-done" role="status">
        {done.value && <span>{done.value.text}</span>}
        {undo && (
          <button type="button" class="ih-button ih-small" data-action="view-undo" onClick={() => attempt(undo)}>
            {views.say('undo')}
          </button>
        )}
      </p>
      {views.opened.value && views.gone.names.value.length > 0 && (
        <p class="ih-views-gone">
          {views.say('gone.names', { name: views.opened.value.name, names: views.gone.names.value.join(', ') })}
        </p>
      )}
      {list?.length === 0 && <p class="ih-muted">{views.say('none')}</p>}
      <ul class="ih-views">
        {list?.map((view) => (
          <li key={`${view.shelf.place} ${view.name}`} data-view={view.name}>
            {renamed.value?.name === view.name && renamed.value.shelf === view.shelf ? (
              <NameField views={views} name={view.name} onEnd={(to) => rename(view, to)} />
            ) : (
              <ViewRow
                views={views}
                view={view}
                onOpen={() => open(view)}
                onRename={() => (renamed.value = view)}
                onExport={() => saveAs([view], view.name)}
                onRemove={() => remove(view)}
                attempt={attempt}
              />
            )}
          </li>
        ))}
      </ul>
      <div class="ih-views-files">
        <button
          type="button"
          class="ih-button"
          data-action="views-export"
          disabled={!list?.length}
          onClick={() => list && saveAs(list, 'views')}
        >
          {views.say('export.all')}
        </button>
        <button type="button" class="ih-button" data-action="views-import" onClick={() => file.current?.click()}>
          {views.say('import')}
        </button>
        {ofPlugins.map(({ owner, label, run }) => (
          <button
            key={`${owner} ${label}`}
            type="button"
            class="ih-button"
            data-action="view-command"
            data-owner={owner}
            onClick={run}
          >
            {label}
          </button>
        ))}
        <input
          ref={file}
          type="file"
          accept=".json,application/json"
          hidden
          onChange={(event) => {
            const { currentTarget: input } = event;
            take(input.files?.[0]);
            input.value = ''; // the same file may be taken again
          }}
        />
      </div>
    </>
  );
}

interface ViewRowProps {
  readonly views: SavedViews;
  readonly view: ListedView;
  readonly onOpen: () => void;
  readonly onRename: () => void;
  readonly onExport: () => void;
  readonly onRemove: () => void;
  readonly attempt: (work: () => Promise<void>) => void;
}

function ViewRow({ views, view, onOpen, onRename, onExport, onRemove, attempt }: ViewRowProps) {
  const { name, shelf, isStart } = view;
  const isFixed = shelf === views.host && !views.host.writable.value;
  const isOpened = views.opened.value?.name === name;
  const tool = (action: string, icon: IconName, label: string, run: () => void, pressed?: boolean) => (
    <IconButton
      icon={icon}
      data-action={`view-${action}`}
      label={`${label}: ${name}`}
      title={label}
      aria-pressed={pressed}
      disabled={isFixed && (action === 'rename' || action === 'remove')}
      onClick={run}
    />
  );
  return (
    <>
      <button
        type="button"
        class="ih-views-name"
        data-action="view-open"
        title={views.say('open', { name })}
        onClick={onOpen}
      >
        {name}
      </button>
      {isOpened && <span class="ih-muted">{views.say(views.isUnchanged() ? 'shown' : 'shown.changed')}</span>}
      {isStart && <span class="ih-muted">{views.say('start')}</span>}
      {shelf === views.browser && <span class="ih-muted">{views.say('browser')}</span>}
      {tool('start', 'pin', views.say('start.hint'), () => attempt(() => views.toggleStart(view)), isStart)}
      {tool('duplicate', 'copy', views.say('duplicate'), () => attempt(() => views.duplicate(view)))}
      {tool('rename', 'pencil', views.say('rename'), onRename)}
      {tool('export', 'export', views.say('export'), onExport)}
      {tool('remove', 'close', views.say('remove'), onRemove)}
    </>
  );
}

interface NameFieldProps {
  readonly views: SavedViews;
  readonly name: string;
  /** With the old name when the user gives up. */
  readonly onEnd: (name: string) => void;
}

function NameField({ views, name, onEnd }: NameFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.select(), []);
  return (
    <input
      ref={field}
      class="ih-input"
      type="text"
      data-control="view-rename"
      maxLength={LONGEST_NAME}
      aria-label={views.say('rename')}
      defaultValue={name}
      onKeyDown={(event) => {
        if (event.isComposing || (event.key !== 'Enter' && event.key !== 'Escape')) return;
        event.preventDefault(); // Escape ends this, not the dialog
        onEnd(event.key === 'Enter' ? event.currentTarget.value.trim() : name);
      }}
      onBlur={() => onEnd(name)}
    />
  );
}
