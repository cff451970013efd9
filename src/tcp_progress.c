#include "src/tcp_progress.h"

#include <linux/tcp.h> /* netinet/tcp.h lacks the byte counters */
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

struct tcp_progress tcp_progress(int fd)
{
    struct tcp_info info;
    memset(&info, 0, sizeof(info));
    socklen_t len = sizeof(info);
    bool known = getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) == 0 &&
                 len >= offsetof(struct tcp_info, tcpi_notsent_bytes) + sizeof(info.tcpi_notsent_bytes);
    if (!known) /* the last since Linux 4.6 */
        return (struct tcp_progress){.known = false};
    return (struct tcp_progress){
        .known = true,
        .received = info.tcpi_bytes_received,
        .acked = info.tcpi_bytes_acked,
        .pending = info.tcpi_unacked > 0 || info.tcpi_notsent_bytes > 0,
    };
}
