export async function render() {
  const answer = await fetch('./tags');
  const list = document.createElement('ul');
  for (const [run, tags] of Object.entries(await answer.json())) {
    const item = document.createElement('li');
    item.textContent = `${run}: ${tags.join(', ')}`;
    list.append(item);
  }
  document.body.append(list);
}
