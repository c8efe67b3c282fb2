/** Saves a file on the user's machine. */

/** Characters that no common file system takes become `_`. */
export function fileName(name: string): string {
  return name.replace(/[\u0000-\u001f<>:"/\\|?*]+/g, '_').slice(0, 200) || 'download';
}

export function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a');
  const url = URL.createObjectURL(content);
  link.href = url;
  link.download = fileName(name);
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
