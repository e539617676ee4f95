// Formats times, sizes and counts.

export const counted = (number, one, many = `${one}s`) => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;

/** A rough duration. */
export function lasting(seconds) {
  if (seconds < 1) return "a moment";
  if (seconds < 60) return counted(Math.round(seconds), "second");
  if (seconds < 3600) return counted(Math.round(seconds / 60), "minute");
  return `${counted(Math.floor(seconds / 3600), "hour")} ${Math.round((seconds % 3600) / 60)} min`;
}

export function sized(bytes) {
  if (bytes < 1000) return `${bytes} bytes`;
  const unit = bytes < 1e6 ? [1e3, "kB"] : bytes < 1e9 ? [1e6, "MB"] : [1e9, "GB"];
  return `${Number((bytes / unit[0]).toPrecision(3)).toLocaleString("en")} ${unit[1]}`;
}

const date = (at) => new Date(typeof at === "number" ? at * 1000 : at);

export function ago(at) {
  const seconds = (Date.now() - date(at)) / 1000;
  if (seconds < 45) return "just now";
  if (seconds < 3600) return `${counted(Math.max(1, Math.round(seconds / 60)), "minute")} ago`;
  if (seconds < 86400) return `${counted(Math.round(seconds / 3600), "hour")} ago`;
  return moment(at);
}

export const moment = (at) =>
  date(at).toLocaleString("en-GB", {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
  });
