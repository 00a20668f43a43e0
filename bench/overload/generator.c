/**
 * Sends HTTP requests at a fixed rate over keep-alive connections, whether or not earlier ones were answered.
 *
 *   generator PORT CONNECTIONS RATE SECONDS < requests > answers
 *
 * Standard input: each request as its length (32 bits, little-endian) and its bytes, sent in this order. Standard
 * output: a line for each request: when it was due, then its status, the time of its first and of its last byte after
 * that, in milliseconds, and its Retry-After. The status is 0 if the connection broke, and -1 if no connection was free.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { HEAD_BYTES_MAX = 4096, TAIL_BYTES = 7, READ_BYTES = 65536, EVENTS_MAX = 512 };
/** How long answers may take after the last request was due. */
static const double REST_MILLIS = 12000;

typedef struct { uint32_t length; const char *text; } request;
typedef struct { double due, first, last; int status, retry_after; } answer;
typedef struct {
  int fd;
  answer *waits; /* The answer that is being received; null while the connection is free. */
  char head[HEAD_BYTES_MAX + 1], tail[TAIL_BYTES];
  size_t received, head_bytes, body_bytes; /* Of a chunked body, the size is unknown: 0. */
  int is_chunked;
} connection;

static connection *connections;
/* A ring: the connection that has been free longest is used next. */
static int *free_ring, free_first, free_count, connection_count, epoll_fd, port;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static void open_connection(connection *c) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  c->fd = socket(AF_INET, SOCK_STREAM, 0);
  if (c->fd < 0 || connect(c->fd, (struct sockaddr *)&address, sizeof address) < 0) fail("connect");
  int on = 1;
  setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
  epoll_ctl(epoll_fd, EPOLL_CTL_ADD, c->fd, &event);
}

static void release(connection *c) {
  c->waits = NULL;
  free_ring[(free_first + free_count++) % connection_count] = c - connections;
}

static connection *take_free(void) {
  connection *c = &connections[free_ring[free_first]];
  free_first = (free_first + 1) % connection_count;
  free_count--;
  return c;
}

static void send_request(connection *c, const request *r, answer *a) {
  c->waits = a;
  c->received = c->head_bytes = c->body_bytes = c->is_chunked = 0;
  memset(c->tail, 0, TAIL_BYTES);
  /* Requests of a few kilobytes always fit into the buffer of an idle socket. A broken one is seen when it is read. */
  if (send(c->fd, r->text, r->length, MSG_NOSIGNAL) < 0 && errno != EPIPE && errno != ECONNRESET) fail("send");
}

static const char *find_header(const char *head, const char *name) {
  const char *line = strcasestr(head, name);
  return line ? line + strlen(name) : NULL;
}

static void read_head(connection *c, double at) {
  c->head[c->received < HEAD_BYTES_MAX ? c->received : HEAD_BYTES_MAX] = 0;
  const char *end = strstr(c->head, "\r\n\r\n");
  if (!end) return;
  c->head_bytes = end + 4 - c->head;
  c->waits->first = at;
  c->waits->status = atoi(c->head + strlen("HTTP/1.1 "));
  const char *length = find_header(c->head, "\r\ncontent-length:");
  const char *retry_after = find_header(c->head, "\r\nretry-after:");
  c->body_bytes = length ? strtoul(length, NULL, 10) : 0;
  c->is_chunked = length == NULL;
  c->waits->retry_after = retry_after ? atoi(retry_after) : 0;
}

static void take(connection *c, const char *bytes, size_t count, double at) {
  if (c->head_bytes == 0) {
    size_t kept = c->received < HEAD_BYTES_MAX ? HEAD_BYTES_MAX - c->received : 0;
    memcpy(c->head + c->received, bytes, count < kept ? count : kept);
  }
  size_t tail = count < TAIL_BYTES ? count : TAIL_BYTES;
  memmove(c->tail, c->tail + tail, TAIL_BYTES - tail);
  memcpy(c->tail + TAIL_BYTES - tail, bytes + count - tail, tail);
  c->received += count;
  if (c->head_bytes == 0) read_head(c, at);
  if (c->head_bytes == 0) return;
  if (c->is_chunked ? memcmp(c->tail, "\r\n0\r\n\r\n", TAIL_BYTES) : c->received < c->head_bytes + c->body_bytes) return;
  c->waits->last = at;
  release(c);
}

static void read_answer(connection *c) {
  static char buffer[READ_BYTES];
  ssize_t count = recv(c->fd, buffer, sizeof buffer, 0);
  if (count > 0 && c->waits) return take(c, buffer, count, now());
  /* The server closed the connection: the answer that was on its way is lost. */
  close(c->fd);
  if (c->waits) {
    c->waits->status = 0;
    c->waits->last = now();
    release(c);
  }
  open_connection(c);
}

static request *read_requests(int *count) {
  size_t capacity = 1 << 20, size = 0, got;
  char *text = malloc(capacity);
  while ((got = fread(text + size, 1, capacity - size, stdin)) > 0)
    if ((size += got) == capacity) text = realloc(text, capacity *= 2);
  request *requests = NULL;
  *count = 0;
  for (size_t at = 0; at < size; *count += 1) {
    if ((*count & (*count - 1)) == 0) requests = realloc(requests, (*count ? *count * 2 : 1) * sizeof *requests);
    request *r = &requests[*count];
    memcpy(&r->length, text + at, sizeof r->length);
    r->text = text + at + sizeof r->length;
    at += sizeof r->length + r->length;
  }
  return requests;
}

int main(int argc, char **argv) {
  if (argc != 5) return fputs("usage: generator PORT CONNECTIONS RATE SECONDS < requests > answers\n", stderr), 2;
  port = atoi(argv[1]);
  connection_count = atoi(argv[2]);
  int request_count;
  double rate = atof(argv[3]) / 1e3, millis = atof(argv[4]) * 1e3;
  request *requests = read_requests(&request_count);
  answer *answers = calloc(request_count, sizeof *answers);
  connections = calloc(connection_count, sizeof *connections);
  free_ring = calloc(connection_count, sizeof *free_ring);
  epoll_fd = epoll_create1(0);
  for (int i = 0; i < connection_count; i++) {
    open_connection(&connections[i]);
    release(&connections[i]);
  }
  double start = now(), at;
  int sent = 0;
  struct epoll_event events[EVENTS_MAX];
  while ((at = now() - start) < millis + REST_MILLIS && (at < millis || free_count < connection_count)) {
    for (; sent < request_count && sent < at * rate && sent / rate < millis; sent++) {
      answers[sent] = (answer){.due = start + sent / rate, .status = -1};
      if (free_count > 0) send_request(take_free(), &requests[sent], &answers[sent]);
    }
    int ready = epoll_wait(epoll_fd, events, EVENTS_MAX, 1);
    for (int i = 0; i < ready; i++) read_answer(events[i].data.ptr);
  }
  for (int i = 0; i < sent; i++) {
    answer a = answers[i];
    printf("%.3f %d %.3f %.3f %d\n", a.due - start, a.status, a.first - a.due, a.last - a.due, a.retry_after);
  }
  struct timespec used;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  fprintf(stderr, "%.3f\n", (used.tv_sec * 1e3 + used.tv_nsec / 1e6) / (now() - start));
  return 0;
}
